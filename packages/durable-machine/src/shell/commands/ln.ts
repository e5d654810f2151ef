import { FileError } from "../../file-system/file-error.ts";
import {
  baseName,
  directoryName,
  isDirectory,
  type Placement,
  readPlacements,
  sameFile,
  statusOf,
} from "./destinations.ts";
import { errorText } from "./error-text.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

const OPTIONS =
  "f,force n,no-dereference P,physical r,relative s,symbolic t,target-directory= T,no-target-directory v,verbose";

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
  const resolve = (operand: string) =>
    invocation.files.resolve(invocation.path(operand), invocation.credentials);
  const target = statusOf(invocation, source)
    ? resolve(source)
    : `${resolve(directoryName(source))}/${baseName(source)}`;
  return relativePath(resolve(directoryName(destination)), target);
}

/** The path of a name, without symlinks on the way to it. */
function placeOf(invocation: Invocation, operand: string): string {
  const { files, credentials } = invocation;
  return `${files.resolve(invocation.path(directoryName(operand)), credentials)}/${baseName(operand)}`;
}

async function makeLink(invocation: Invocation, placement: Placement, options: ParsedOptions): Promise<void> {
  const { source, destination } = placement;
  const isSymbolic = options.has("s");
  const target = options.has("r") ? relativeTarget(invocation, placement) : source;
  const failure = `failed to create ${isSymbolic ? "symbolic" : "hard"} link`;
  if (!isSymbolic) {
    const { type } = invocation.attempt("failed to access", source, (files, path, credentials) =>
      files.status(path, credentials, { followSymlink: false }),
    );
    if (type === "directory") throw new Complaint(`${source}: hard link not allowed for directory`);
  }
  const there = statusOf(invocation, destination, { followSymlink: false });
  if (there !== undefined && options.has("f")) {
    if (there.type === "directory") throw new Complaint(`${destination}: cannot overwrite directory`);
    // Taken away to be replaced by itself, a file would be gone.
    if (placeOf(invocation, source) === placeOf(invocation, destination)) throw sameFile(placement);
    invocation.attempt(failure, destination, (files, path, credentials) => files.unlink(path, credentials));
  }
  try {
    const path = invocation.path(destination);
    if (isSymbolic) invocation.files.symlink(target, path, invocation.credentials);
    else invocation.files.link(invocation.path(source), path, invocation.credentials);
  } catch (error) {
    // For a hard link the source may be the reason, unless the name is taken.
    const isTaken = error instanceof FileError && error.code === "EEXIST";
    const names = isSymbolic || isTaken ? "" : ` => ${quoteName(source)}`;
    throw new Complaint(`${failure} ${quoteName(destination)}${names}: ${errorText(error)}`);
  }
  if (!options.has("v")) return;
  await invocation.print(`${quoteName(destination)} ${isSymbolic ? "->" : "=>"} ${quoteName(target)}\n`);
}

export const ln: MachineCommand = {
  name: "ln",
  usage: "ln [OPTION]... TARGET... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const entersDirectory = (operand: string) =>
      isDirectory(invocation, operand) &&
      !(options.has("n") && statusOf(invocation, operand, { followSymlink: false })?.type === "symlink");
    const [only, ...others] = options.operands;
    const isAlone = only !== undefined && others.length === 0 && !options.has("t", "T");
    const placements = isAlone
      ? [{ source: only, destination: `./${baseName(only)}` }]
      : readPlacements(invocation, options, entersDirectory);
    for (const placement of placements) {
      await invocation.guard(() => makeLink(invocation, placement, options));
    }
  },
};
