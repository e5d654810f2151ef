import type { FileStatus } from "../../file-system/file-system.ts";
import type { Users } from "../../users.ts";
import { statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { walkTree } from "./walk.ts";

/** The largest number that a user or a group has: the one above means nobody. */
const LARGEST_ID = 2 ** 32 - 2;

export interface Ownership {
  uid?: number;
  gid?: number;
}

function readId(text: string, find: (name: string) => number | undefined): number | undefined {
  const number = /^\+?\d+$/.test(text) ? Number(text) : undefined;
  return find(text) ?? (number !== undefined && number <= LARGEST_ID ? number : undefined);
}

/** Reads `user`, `user:group`, `user:` or `:group`. @throws UsageError */
export function parseOwnership(text: string, users: Users): Ownership {
  const [user = "", group] = text.split(/:(.*)/s);
  const ownership: Ownership = {};
  if (user !== "") {
    const uid = readId(user, (name) => users.find(name)?.uid);
    if (uid === undefined) throw new UsageError(`invalid user: ${quoteWord(text)}`, { hint: false });
    ownership.uid = uid;
    // A colon alone means the user's own group.
    if (group === "") {
      const own = users.find(user)?.gid;
      if (own === undefined) throw new UsageError(`invalid spec: ${quoteWord(text)}`, { hint: false });
      ownership.gid = own;
    }
  }
  if (group !== undefined && group !== "") {
    const gid = readId(group, (name) => users.findGroup(name));
    if (gid === undefined) throw new UsageError(`invalid group: ${quoteWord(text)}`, { hint: false });
    ownership.gid = gid;
  }
  return ownership;
}

/** Reads the group of chgrp. @throws UsageError */
function parseGroup(text: string, users: Users): Ownership {
  const gid = readId(text, (name) => users.findGroup(name));
  if (gid === undefined) throw new UsageError(`invalid group: ${quoteWord(text)}`, { hint: false });
  return { gid };
}

/** How what is asked for is named: as much of it as is asked for. */
function describe(ownership: Ownership, asked: Ownership, users: Users): string {
  const user = asked.uid === undefined || ownership.uid === undefined ? "" : users.userName(ownership.uid);
  const group =
    asked.gid === undefined || ownership.gid === undefined ? "" : `:${users.groupName(ownership.gid)}`;
  return user === "" ? group.slice(1) : user + group;
}

class OwnerChanger {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #ownership: Ownership;
  /** What is said to be changed. */
  readonly #what: "ownership" | "group";

  constructor(invocation: Invocation, options: ParsedOptions, ownership: Ownership) {
    this.#invocation = invocation;
    this.#options = options;
    this.#ownership = ownership;
    this.#what = ownership.uid === undefined ? "group" : "ownership";
  }

  async changeOperand(operand: string): Promise<void> {
    const isRecursive = this.#options.has("R");
    const followsOperand =
      !this.#options.has("h") && (!isRecursive || this.#options.last("H", "L", "P") !== "P");
    let status: FileStatus;
    try {
      status = this.#invocation.files.status(this.#invocation.path(operand), this.#invocation.credentials, {
        followSymlink: followsOperand,
      });
    } catch (error) {
      const what = statusOf(this.#invocation, operand, { followSymlink: false })
        ? "cannot dereference"
        : "cannot access";
      return this.#complain(`${what} ${quoteName(operand)}: ${errorText(error)}`);
    }
    if (!isRecursive) return await this.#changeFile(operand, status, followsOperand);
    for await (const walked of walkTree(this.#invocation, { operand, status }, "behind")) {
      await this.#changeFile(walked.operand, walked.status, walked.operand === operand && followsOperand);
    }
  }

  async #changeFile(operand: string, status: FileStatus, followSymlink: boolean): Promise<void> {
    const { files, credentials } = this.#invocation;
    await this.#invocation.step();
    if (!this.#isAskedFor(status)) return;
    try {
      files.changeOwner(this.#invocation.path(operand), credentials, this.#ownership, { followSymlink });
    } catch (error) {
      return this.#complain(`changing ${this.#what} of ${quoteName(operand)}: ${errorText(error)}`);
    }
    await this.#tell(operand, status);
  }

  /** `--from` names who must have had it. */
  #isAskedFor({ uid, gid }: FileStatus): boolean {
    const from = this.#options.value("from");
    if (from === undefined) return true;
    const wanted = parseOwnership(from, this.#invocation.environment.users);
    return (wanted.uid ?? uid) === uid && (wanted.gid ?? gid) === gid;
  }

  async #tell(operand: string, before: FileStatus): Promise<void> {
    const { uid = before.uid, gid = before.gid } = this.#ownership;
    const changed = uid !== before.uid || gid !== before.gid;
    if (!this.#options.has("v") && !(changed && this.#options.has("c"))) return;
    const what = `${this.#what} of ${quoteName(operand)}`;
    const from = describe(before, this.#ownership, this.#invocation.environment.users);
    const to = describe({ uid, gid }, this.#ownership, this.#invocation.environment.users);
    if (changed) await this.#invocation.print(`changed ${what} from ${from} to ${to}\n`);
    else await this.#invocation.print(`${what} retained${from === "" ? "" : ` as ${from}`}\n`);
  }

  #complain(message: string): void {
    if (this.#options.has("f")) this.#invocation.failSilently();
    else this.#invocation.complain(message);
  }
}

function ownerCommand(
  name: string,
  parse: (text: string, users: Users) => Ownership,
  usage: string,
): MachineCommand {
  return {
    name,
    usage,
    async run(invocation) {
      const options = invocation.options([
        "c,changes",
        "f,silent",
        ",quiet",
        "v,verbose",
        "h,no-dereference",
        ",dereference",
        ",from=",
        ",reference=",
        "R,recursive",
        "H",
        "L",
        "P",
        ",preserve-root",
        ",no-preserve-root",
      ]);
      const reference = options.value("reference");
      const [owner, ...rest] = options.operands;
      const operands = reference === undefined ? rest : options.operands;
      if (owner === undefined) throw new UsageError("missing operand");
      if (operands.length === 0) throw new UsageError(`missing operand after ${quoteWord(owner)}`);
      const model = reference === undefined ? undefined : statusOf(invocation, reference);
      if (reference !== undefined && model === undefined) {
        invocation.fail(`failed to get attributes of ${quoteName(reference)}: No such file or directory`);
      }
      const ownership =
        model === undefined
          ? parse(owner, invocation.environment.users)
          : name === "chgrp"
            ? { gid: model.gid }
            : model;
      const changer = new OwnerChanger(invocation, options, { ...pick(ownership) });
      for (const operand of operands) await changer.changeOperand(operand);
    },
  };
}

function pick({ uid, gid }: Ownership): Ownership {
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

export const chown = ownerCommand("chown", parseOwnership, "chown [OPTION]... [OWNER][:[GROUP]] FILE...");
export const chgrp = ownerCommand("chgrp", parseGroup, "chgrp [OPTION]... GROUP FILE...");
