import { MAX_ID, type Users } from "../../users.ts";
import { CHANGE_OPTIONS, changeAttributes, readChange } from "./change-attributes.ts";
import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

export interface Ownership {
  uid?: number | undefined;
  gid?: number | undefined;
}

/** @throws UsageError where a name is neither known nor a number. */
function readId(name: string, known: number | undefined, failure: string): number {
  const id = known ?? (/^\+?\d+$/.test(name) ? Number(name) : Number.NaN);
  if (id <= MAX_ID) return id;
  throw new UsageError(failure, { hint: false });
}

/** Reads `user`, `user:group`, `user:` or `:group`. @throws UsageError */
export function parseOwnership(text: string, users: Users): Ownership {
  const [user = "", group = ""] = text.split(/:(.*)/s);
  const known = users.find(user);
  const ownership: Ownership = {};
  if (user !== "") ownership.uid = readId(user, known?.uid, `invalid user: ${quoteWord(text)}`);
  if (group !== "") {
    ownership.gid = readId(group, users.findGroup(group), `invalid group: ${quoteWord(text)}`);
  } else if (user !== "" && text.includes(":")) {
    // A colon alone means the user's own group.
    ownership.gid = readId("", known?.gid, `invalid spec: ${quoteWord(text)}`);
  }
  return ownership;
}

function ownerCommand(name: "chown" | "chgrp", usage: string): MachineCommand {
  return {
    name,
    usage,
    async run(invocation) {
      const { users } = invocation.environment;
      const options = invocation.options(`${CHANGE_OPTIONS} h,no-dereference ,dereference H L P`);
      const { value, operands } = readChange(options);
      const isGroup = name === "chgrp";
      const owner = isGroup
        ? { gid: readId(value, users.findGroup(value), `invalid group: ${quoteWord(value)}`) }
        : parseOwnership(value, users);
      const describe = ({ uid, gid }: Required<Ownership>) =>
        isGroup ? users.groupName(gid) : `${users.userName(uid)}:${users.groupName(gid)}`;
      await changeAttributes(invocation, options, operands, {
        followsOperands: !options.has("h") && (!options.has("R") || options.has("H", "L")),
        apply(operand, status, followSymlink) {
          const subject = isGroup ? "group of" : "ownership of";
          invocation.attempt(`changing ${subject}`, operand, (files, path, credentials) =>
            files.changeOwner(path, credentials, owner, { followSymlink }),
          );
          const { uid, gid } = { ...status, ...owner };
          const isChanged = uid !== status.uid || gid !== status.gid;
          const what = `${subject} ${quoteName(operand)}`;
          const before = describe(status);
          const text = isChanged
            ? `changed ${what} from ${before} to ${describe({ uid, gid })}`
            : `${what} retained as ${before}`;
          return { isChanged, text };
        },
      });
    },
  };
}

export const chown = ownerCommand("chown", "chown [OPTION]... [OWNER][:[GROUP]] FILE...");
export const chgrp = ownerCommand("chgrp", "chgrp [OPTION]... GROUP FILE...");
