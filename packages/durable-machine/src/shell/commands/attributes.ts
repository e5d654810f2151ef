import type { FileStatus } from "../../file-system/file-system.ts";
import { MAX_ID, type Users } from "../../users.ts";
import { join } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { readModeChange } from "./modes.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** `-c` and `-v` have no effect. */
const OPTIONS = "c,changes f,silent ,quiet v,verbose R,recursive ,preserve-root ,no-preserve-root";

interface AttributeChange {
  options: ParsedOptions;
  operands: readonly string[];
  followsOperands: boolean;
  /** A directory is changed after its entries, and not at all where it cannot be read. */
  isDirectoryLast: boolean;
  /** @throws Complaint */
  apply(operand: string, status: FileStatus, followSymlink: boolean): Promise<void>;
}

function readOperands({ operands }: ParsedOptions): { value: string; operands: readonly string[] } {
  const [value, ...files] = operands;
  if (value === undefined) throw new UsageError("missing operand");
  if (files.length === 0) throw new UsageError(`missing operand after ${quoteWord(value)}`);
  return { value, operands: files };
}

async function changeAttributes(invocation: Invocation, change: AttributeChange): Promise<void> {
  const { options, operands, followsOperands } = change;
  const isSilent = { isSilent: options.has("f", "quiet") };

  const changeTree = async (operand: string, status: FileStatus, isOperand: boolean): Promise<void> => {
    const own = () => change.apply(operand, status, isOperand && followsOperands);
    const isTree = status.type === "directory" && options.has("R");
    if (!isTree || !change.isDirectoryLast) await invocation.guard(own, isSilent);
    if (!isTree) return;
    await invocation.guard(async () => {
      const entries = invocation.attempt("cannot read directory", operand, (files, path, credentials) =>
        files.list(path, credentials),
      );
      for (const entry of entries) await changeTree(join(operand, entry.name), entry, false);
      if (change.isDirectoryLast) await own();
    }, isSilent);
  };

  for (const operand of operands) {
    await invocation.guard(async () => {
      const status = invocation.attempt("cannot access", operand, (files, path, credentials) =>
        files.status(path, credentials, { followSymlink: followsOperands }),
      );
      await changeTree(operand, status, true);
    }, isSilent);
  }
}

/** Moves a mode such as `-x`, which would be read as options, after the options. */
function withModeBehindOptions(args: readonly string[]): readonly string[] {
  const mode = args.find((arg) => /^-[rwxXstugoa,+=-]+$/.test(arg));
  if (mode === undefined || args.includes("--")) return args;
  const options = args.filter((arg) => arg.startsWith("-") && arg !== mode);
  return [...options, "--", mode, ...args.filter((arg) => !arg.startsWith("-"))];
}

export const chmod: MachineCommand = {
  name: "chmod",
  async run(invocation) {
    const options = invocation.options(OPTIONS, { args: withModeBehindOptions(invocation.args) });
    const { value, operands } = readOperands(options);
    const change = readModeChange(value, invocation.credentials.umask);
    await changeAttributes(invocation, {
      options,
      operands,
      followsOperands: true,
      isDirectoryLast: false,
      async apply(operand, status) {
        // A symlink has no mode of its own, and its target is not in the tree.
        if (status.type === "symlink") return;
        const mode = change(status.mode, status.type === "directory");
        invocation.attempt("changing permissions of", operand, (files, path, credentials) =>
          files.changeMode(path, credentials, mode),
        );
      },
    });
  },
};

type Ownership = { uid?: number; gid?: number };

function readId(name: string, known: number | undefined, failure: string): number {
  const id = known ?? (/^\+?\d+$/.test(name) ? Number(name) : Number.NaN);
  if (id <= MAX_ID) return id;
  throw new UsageError(failure, { hint: false });
}

/** Reads `user`, `user:group`, `user:` or `:group`. @throws UsageError */
export function parseOwnership(text: string, users: Users): Ownership {
  const [user = "", group = ""] = text.split(/:(.*)/s);
  const known = users.find(user);
  const shown = quoteWord(text.replace(/^:/, ""));
  const ownership: Ownership = {};
  if (user !== "") ownership.uid = readId(user, known?.uid, `invalid user: ${shown}`);
  if (group !== "") {
    ownership.gid = readId(group, users.findGroup(group), `invalid group: ${shown}`);
  } else if (user !== "" && text.includes(":")) {
    // `user:` means the user's own group.
    ownership.gid = readId("", known?.gid, `invalid spec: ${shown}`);
  }
  return ownership;
}

function ownerCommand(name: "chown" | "chgrp", usage: string): MachineCommand {
  const isGroup = name === "chgrp";
  return {
    name,
    usage,
    async run(invocation) {
      const options = invocation.options(`${OPTIONS} h,no-dereference ,dereference H L P`);
      const { value, operands } = readOperands(options);
      const owner = parseOwnership(isGroup ? `:${value}` : value, invocation.environment.users);
      await changeAttributes(invocation, {
        options,
        operands,
        followsOperands: !options.has("h") && (!options.has("R") || options.has("H", "L")),
        isDirectoryLast: true,
        async apply(operand, _, followSymlink) {
          invocation.attempt(
            `changing ${isGroup ? "group" : "ownership"} of`,
            operand,
            (files, path, credentials) => files.changeOwner(path, credentials, owner, { followSymlink }),
          );
        },
      });
    },
  };
}

export const chown = ownerCommand("chown", "chown [OPTION]... [OWNER][:[GROUP]] FILE...");
export const chgrp = ownerCommand("chgrp", "chgrp [OPTION]... GROUP FILE...");
