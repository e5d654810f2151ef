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

/** Reads the group of chgrp. @throws UsageError */
function parseGroup(text: string, users: Users): Ownership {
  return { gid: readId(text, users.findGroup(text), `invalid group: ${quoteWord(text)}`) };
}

/** What is named of an ownership: as much of it as is asked for. */
function describe(ownership: Required<Ownership>, asked: Ownership, users: Users): string {
  const user = asked.uid === undefined ? "" : users.userName(ownership.uid);
  const group = asked.gid === undefined ? "" : users.groupName(ownership.gid);
  return user && group ? `${user}:${group}` : user || group;
}

function ownerCommand(name: "chown" | "chgrp", usage: string): MachineCommand {
  return {
    name,
    usage,
    async run(invocation) {
      const { users } = invocation.environment;
      const options = invocation.options(`${CHANGE_OPTIONS} h,no-dereference ,dereference H L P`);
      const { operands, wish } = readChange<Ownership>(invocation, options, {
        parse: (text) => (name === "chgrp" ? parseGroup : parseOwnership)(text, users),
        copy: ({ uid, gid }) => (name === "chgrp" ? { gid } : { uid, gid }),
      });
      await changeAttributes(invocation, options, operands, {
        isDirectoryLast: true,
        followsOperands: !options.has("h") && (!options.has("R") || options.has("H", "L")),
        apply(operand, status, followSymlink) {
          const subject = `${wish.uid === undefined ? "group" : "ownership"} of`;
          invocation.attempt(`changing ${subject}`, operand, (files, path, credentials) =>
            files.changeOwner(path, credentials, wish, { followSymlink }),
          );
          const { uid = status.uid, gid = status.gid } = wish;
          const isChanged = uid !== status.uid || gid !== status.gid;
          const what = `${subject} ${quoteName(operand)}`;
          const [from, to] = [describe(status, wish, users), describe({ uid, gid }, wish, users)];
          if (isChanged) return { isChanged, text: `changed ${what} from ${from} to ${to}` };
          return { isChanged, text: `${what} retained${from === "" ? "" : ` as ${from}`}` };
        },
      });
    },
  };
}

export const chown = ownerCommand("chown", "chown [OPTION]... [OWNER][:[GROUP]] FILE...");
export const chgrp = ownerCommand("chgrp", "chgrp [OPTION]... GROUP FILE...");
