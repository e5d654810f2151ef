import { FileError } from "../../file-system/file-error.ts";
import {
  baseName,
  directoryName,
  isDirectory,
  type Placement,
  placementsOf,
  sameFile,
  statusOf,
} from "./destinations.ts";
import { errorText } from "./error-text.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";
import { canonicalPath, relativePath } from "./realpath.ts";

const OPTIONS =
  "f,force n,no-dereference P,physical r,relative s,symbolic t,target-directory= T,no-target-directory v,verbose";

function relativeTarget(invocation: Invocation, { source, destination }: Placement): string {
  const canonical = (operand: string) => canonicalPath(invocation, invocation.path(operand), "nothing");
  return relativePath(canonical(directoryName(destination)), canonical(source));
}

async function makeLink(invocation: Invocation, placement: Placement, options: ParsedOptions): Promise<void> {
  const { source, destination } = placement;
  const isSymbolic = options.has("s");
  if (!isSymbolic) {
    const { type } = invocation.attempt("failed to access", source, (files, path, credentials) =>
      files.status(path, credentials, { followSymlink: false }),
    );
    if (type === "directory") throw new Complaint(`${source}: hard link not allowed for directory`);
  }
  const target = options.has("r") ? relativeTarget(invocation, placement) : source;
  const existing = statusOf(invocation, destination, { followSymlink: false });
  const isReplaced = existing !== undefined && options.has("f");
  if (isReplaced && existing.type === "directory") {
    throw new Complaint(`${destination}: cannot overwrite directory`);
  }
  // A file that is removed to be replaced by itself would be lost.
  if (isReplaced && existing.inode === statusOf(invocation, source, { followSymlink: false })?.inode) {
    throw sameFile(placement);
  }
  const failure = `failed to create ${isSymbolic ? "symbolic" : "hard"} link`;
  const { files, credentials } = invocation;
  try {
    const path = invocation.path(destination);
    if (isReplaced) files.unlink(path, credentials);
    if (isSymbolic) files.symlink(target, path, credentials);
    else files.link(invocation.path(source), path, credentials);
  } catch (error) {
    const isTaken = error instanceof FileError && error.code === "EEXIST";
    const names = isSymbolic || isTaken ? "" : ` => ${quoteName(source)}`;
    throw new Complaint(`${failure} ${quoteName(destination)}${names}: ${errorText(error)}`);
  }
  if (!options.has("v")) return;
  await invocation.print(`${quoteName(destination)} ${isSymbolic ? "->" : "=>"} ${quoteName(target)}\n`);
}

export const ln: MachineCommand = {
  name: "ln",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const entersDirectory = (operand: string) =>
      isDirectory(invocation, operand) &&
      !(options.has("n") && statusOf(invocation, operand, { followSymlink: false })?.type === "symlink");
    const [only, ...others] = options.operands;
    const isAlone = only !== undefined && others.length === 0 && !options.has("t", "T");
    const placements = isAlone
      ? [{ source: only, destination: `./${baseName(only)}` }]
      : placementsOf(invocation, options, entersDirectory);
    for (const placement of placements) {
      await invocation.guard(() => makeLink(invocation, placement, options));
    }
  },
};
