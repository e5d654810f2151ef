import { parseOwnership } from "./chown.ts";
import { type CopyStyle, TreeCopy } from "./copy-tree.ts";
import { directoryName, type Placement, readPlacements, statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { makeDirectory } from "./make-directories.ts";
import { parseModeChange } from "./modes.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

const DEFAULT_MODE = 0o755;

function readMode(invocation: Invocation, options: ParsedOptions): number {
  const text = options.value("m");
  if (text === undefined) return DEFAULT_MODE;
  const change = parseModeChange(text, 0);
  return change === undefined ? invocation.fail(`invalid mode ${quoteWord(text)}`) : change(0, false);
}

/** Gives what was installed its owner and mode. */
function finish(invocation: Invocation, operand: string, options: ParsedOptions, mode: number): void {
  const { files, credentials } = invocation;
  const path = invocation.path(operand);
  const user = options.value("o") ?? "";
  const group = options.value("g");
  const wish = group === undefined ? user : `${user}:${group}`;
  try {
    if (wish !== "") files.changeOwner(path, credentials, parseOwnership(wish, invocation.environment.users));
    files.changeMode(path, credentials, mode);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    invocation.complain(`cannot change ownership of ${quoteName(operand)}: ${errorText(error)}`);
  }
}

async function installDirectories(
  invocation: Invocation,
  options: ParsedOptions,
  mode: number,
): Promise<void> {
  if (options.operands.length === 0) throw new UsageError("missing file operand");
  const onMade = async (operand: string) => {
    if (options.has("v")) await invocation.print(`install: creating directory ${quoteName(operand)}\n`);
  };
  for (const operand of options.operands) {
    const made = await makeDirectory(invocation, operand, { mode, parents: true, onMade });
    if (made) finish(invocation, operand, options, mode);
  }
}

const STYLE: CopyStyle = {
  recursive: false,
  follows: "all",
  existing: "overwrite",
  onlyNewer: false,
  force: false,
  removesDestination: true,
  preservesMode: false,
  preservesOwner: false,
  preservesTimes: false,
  preservesLinks: false,
  links: undefined,
  verbose: false,
};

async function installFile(
  invocation: Invocation,
  { source, destination }: Placement,
  { options, mode }: { options: ParsedOptions; mode: number },
): Promise<void> {
  if (statusOf(invocation, source)?.type === "directory") {
    return invocation.complain(`omitting directory ${quoteName(source)}`);
  }
  if (options.has("D")) {
    const above = options.value("t") ?? directoryName(destination);
    const onMade = async (operand: string) => {
      if (options.has("v")) await invocation.print(`install: creating directory ${quoteName(operand)}\n`);
    };
    if (!(await makeDirectory(invocation, above, { mode: undefined, parents: true, onMade }))) return;
  }
  const before = statusOf(invocation, destination);
  const style = { ...STYLE, preservesTimes: options.has("p"), verbose: options.has("v") };
  const replaces = before !== undefined && before.inode !== statusOf(invocation, source)?.inode;
  if (replaces && options.has("v")) await invocation.print(`removed ${quoteName(destination)}\n`);
  await new TreeCopy(invocation, style).copy(source, destination);
  const after = statusOf(invocation, destination);
  if (after !== undefined && after.inode !== before?.inode) finish(invocation, destination, options, mode);
}

export const install: MachineCommand = {
  name: "install",
  usage: "install [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options([
      "b",
      "c",
      "C,compare",
      "d,directory",
      "D",
      "g,group=",
      "m,mode=",
      "o,owner=",
      "p,preserve-timestamps",
      "s,strip",
      "t,target-directory=",
      "T,no-target-directory",
      "v,verbose",
    ]);
    const mode = readMode(invocation, options);
    if (options.has("d")) return await installDirectories(invocation, options, mode);
    const target = options.value("t");
    if (options.has("D") && target !== undefined) {
      await makeDirectory(invocation, target, { mode: undefined, parents: true, onMade: async () => {} });
    }
    for (const placement of readPlacements(invocation, options)) {
      await installFile(invocation, placement, { options, mode });
    }
  },
};
