import { FileError } from "../../file-system/file-error.ts";
import { confirm } from "./confirmation.ts";
import {
  baseName,
  directoryName,
  isDirectory,
  type Placement,
  readPlacements,
  statusOf,
} from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

/** The way from a directory to a path, both absolute and without symlinks. */
export function relativePath(directory: string, path: string): string {
  const from = directory.split("/").filter((part) => part !== "");
  const to = path.split("/").filter((part) => part !== "");
  let common = 0;
  while (common < from.length && common < to.length && from[common] === to[common]) common++;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}

/** What a symlink is to hold so that it leads to its target from where it stands. */
function relativeTarget(invocation: Invocation, { source, destination }: Placement): string {
  const { files, credentials } = invocation;
  const absolute = (operand: string) =>
    statusOf(invocation, operand)
      ? files.resolve(invocation.path(operand), credentials)
      : `${files.resolve(invocation.path(directoryName(operand)), credentials)}/${baseName(operand)}`;
  return relativePath(
    files.resolve(invocation.path(directoryName(destination)), credentials),
    absolute(source),
  );
}

/** Makes room for a link. @returns whether it is to be made. */
async function clearPlace(
  invocation: Invocation,
  placement: Placement,
  options: ParsedOptions,
): Promise<boolean> {
  const { source, destination } = placement;
  const there = statusOf(invocation, destination, { followSymlink: false });
  if (there === undefined) return true;
  const wish = options.last("f", "i");
  if (wish === undefined) return true;
  if (there.type === "directory") {
    invocation.complain(`${destination}: cannot overwrite directory`);
    return false;
  }
  if (wish === "i" && !(await confirm(invocation, `replace ${quoteName(destination)}?`))) return false;
  // Taken away to be replaced by itself, a file would be gone.
  if (invocation.path(source) === invocation.path(destination)) {
    invocation.complain(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
    return false;
  }
  return removeName(invocation, placement, options);
}

function removeName(invocation: Invocation, { destination }: Placement, options: ParsedOptions): boolean {
  try {
    invocation.files.unlink(invocation.path(destination), invocation.credentials);
    return true;
  } catch (error) {
    const kind = options.has("s") ? "symbolic" : "hard";
    invocation.complainOf(`failed to create ${kind} link`, destination, error);
    return false;
  }
}

function makeSymlink(invocation: Invocation, placement: Placement, target: string): boolean {
  const { destination } = placement;
  try {
    invocation.files.symlink(target, invocation.path(destination), invocation.credentials);
    return true;
  } catch (error) {
    const names = target === "" ? `${quoteName(destination)} -> ''` : quoteName(destination);
    invocation.complain(`failed to create symbolic link ${names}: ${errorText(error)}`);
    return false;
  }
}

function makeHardLink(
  invocation: Invocation,
  { source, destination }: Placement,
  followsSymlink: boolean,
): boolean {
  const { files, credentials } = invocation;
  try {
    const status = files.status(invocation.path(source), credentials, { followSymlink: followsSymlink });
    if (status.type === "directory") {
      invocation.complain(`${source}: hard link not allowed for directory`);
      return false;
    }
  } catch (error) {
    invocation.complainOf("failed to access", source, error);
    return false;
  }
  try {
    const existing = followsSymlink
      ? files.resolve(invocation.path(source), credentials)
      : invocation.path(source);
    files.link(existing, invocation.path(destination), credentials);
    return true;
  } catch (error) {
    // Of a name that is taken the other one is not told.
    const isTaken = error instanceof FileError && error.code === "EEXIST";
    const names = isTaken ? quoteName(destination) : `${quoteName(destination)} => ${quoteName(source)}`;
    invocation.complain(`failed to create hard link ${names}: ${errorText(error)}`);
    return false;
  }
}

async function makeLink(invocation: Invocation, placement: Placement, options: ParsedOptions): Promise<void> {
  if (!(await clearPlace(invocation, placement, options))) return;
  const isSymbolic = options.has("s");
  const target = options.has("r") ? relativeTarget(invocation, placement) : placement.source;
  const made = isSymbolic
    ? makeSymlink(invocation, placement, target)
    : makeHardLink(invocation, placement, options.last("L", "P") === "L");
  if (made && options.has("v")) {
    const arrow = isSymbolic ? "->" : "=>";
    await invocation.print(`${quoteName(placement.destination)} ${arrow} ${quoteName(target)}\n`);
  }
}

export const ln: MachineCommand = {
  name: "ln",
  usage: "ln [OPTION]... TARGET... DIRECTORY",
  async run(invocation) {
    const options = invocation.options([
      "f,force",
      "i,interactive",
      "L,logical",
      "n,no-dereference",
      "P,physical",
      "r,relative",
      "s,symbolic",
      "t,target-directory=",
      "T,no-target-directory",
      "v,verbose",
    ]);
    const entersDirectory = (operand: string) =>
      isDirectory(invocation, operand) &&
      !(options.has("n") && statusOf(invocation, operand, { followSymlink: false })?.type === "symlink");
    const [only, ...others] = options.operands;
    const isAlone = only !== undefined && others.length === 0 && !options.has("t", "T");
    const placements = isAlone
      ? [{ source: only, destination: `./${baseName(only)}` }]
      : readPlacements(invocation, options, entersDirectory);
    for (const placement of placements) {
      await invocation.step(4);
      await makeLink(invocation, placement, options);
    }
  },
};
