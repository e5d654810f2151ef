import type { FileStatus } from "../../file-system/file-system.ts";
import { confirm } from "./confirmation.ts";
import { directoryName, type Placement, readPlacements, statusOf, withoutRepeated } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

/** Whether a place is within a directory that is to be moved. */
function liesInside(invocation: Invocation, destination: string, directory: FileStatus): boolean {
  const place = directoryName(destination);
  if (statusOf(invocation, place) === undefined) return false;
  let path = invocation.files.resolve(invocation.path(place), invocation.credentials);
  while (statusOf(invocation, path)?.inode !== directory.inode) {
    if (path === "/") return false;
    path = directoryName(path);
  }
  return true;
}

/** Why something cannot be moved to where something is already; undefined: it can. */
function findConflict(
  { source, destination }: Placement,
  moved: FileStatus,
  there: FileStatus,
): string | undefined {
  const names = [quoteName(source), quoteName(destination)];
  if (there.type === "directory" && moved.type !== "directory") {
    return `cannot overwrite directory ${names[1]} with non-directory`;
  }
  if (there.type !== "directory" && moved.type === "directory") {
    return `cannot overwrite non-directory ${names[1]} with directory ${names[0]}`;
  }
  return undefined;
}

/** Whether what is there already is left alone. */
async function keepsExisting(
  invocation: Invocation,
  { destination }: Placement,
  { options, moved, there }: { options: ParsedOptions; moved: FileStatus; there: FileStatus },
): Promise<boolean> {
  const wish = options.last("f", "i", "n");
  if (wish === "n") return true;
  if (options.has("u") && there.modifiedAt >= moved.modifiedAt) return true;
  return wish === "i" && !(await confirm(invocation, `overwrite ${quoteName(destination)}?`));
}

async function move(invocation: Invocation, placement: Placement, options: ParsedOptions): Promise<void> {
  const { source, destination } = placement;
  const { files, credentials } = invocation;
  let moved: FileStatus;
  try {
    moved = files.status(invocation.path(source), credentials, { followSymlink: source.endsWith("/") });
  } catch (error) {
    return invocation.complainOf("cannot stat", source, error);
  }
  if (moved.type === "directory" && liesInside(invocation, destination, moved)) {
    const names = `${quoteName(source)} to a subdirectory of itself, ${quoteName(destination)}`;
    return invocation.complain(`cannot move ${names}`);
  }
  const there = statusOf(invocation, destination, { followSymlink: false });
  if (there !== undefined) {
    if (there.inode === moved.inode) {
      return invocation.complain(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
    }
    if (await keepsExisting(invocation, placement, { options, moved, there })) return;
    const conflict = findConflict(placement, moved, there);
    if (conflict !== undefined) return invocation.complain(conflict);
  }
  try {
    files.rename(invocation.path(source), invocation.path(destination), credentials);
  } catch (error) {
    return invocation.complainOf(`cannot move ${quoteName(source)} to`, destination, error);
  }
  if (options.has("v")) await invocation.print(`renamed ${quoteName(source)} -> ${quoteName(destination)}\n`);
}

export const mv: MachineCommand = {
  name: "mv",
  usage: "mv [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options([
      "f,force",
      "i,interactive",
      "n,no-clobber",
      ",strip-trailing-slashes",
      "t,target-directory=",
      "T,no-target-directory",
      "u,update",
      "v,verbose",
    ]);
    for (const placement of withoutRepeated(invocation, readPlacements(invocation, options))) {
      await invocation.step(4);
      await move(invocation, placement, options);
    }
  },
};
