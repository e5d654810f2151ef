import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { unlessRefused } from "./error-text.ts";
import { Complaint, type Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

/** A file and where it goes. */
export interface Placement {
  source: string;
  destination: string;
}

/** The last part of a path, as basename(1) gives it. */
export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed === "" && path !== "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** All but the last part of a path. */
export function directoryName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash === -1) return ".";
  return trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}

export function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** Refusals that say nothing more than that nothing can be seen there. */
const UNSEEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"] as const;

/** What is at a path, symlinks followed or not; undefined: nothing that can be seen. */
export function statusOf(
  invocation: Invocation,
  operand: string,
  options: { followSymlink?: boolean } = {},
): FileStatus | undefined {
  return unlessRefused(UNSEEN, () =>
    invocation.files.status(invocation.path(operand), invocation.credentials, options),
  );
}

export function isDirectory(invocation: Invocation, operand: string): boolean {
  return statusOf(invocation, operand)?.type === "directory";
}

/** Whether a place, which may be missing yet, is a directory or within it. */
export function liesInside(invocation: Invocation, destination: string, { inode }: FileStatus): boolean {
  const place = statusOf(invocation, destination) ? destination : directoryName(destination);
  if (statusOf(invocation, place) === undefined) return false;
  let path = invocation.files.resolve(invocation.path(place), invocation.credentials);
  while (statusOf(invocation, path)?.inode !== inode) {
    if (path === "/") return false;
    path = directoryName(path);
  }
  return true;
}

/** @throws Complaint where a directory and something else cannot take each other's place. */
export function requireSameKind({ source, destination }: Placement, from: FileStatus, to: FileStatus): void {
  const name = quoteName(destination);
  if (to.type === "directory" && from.type !== "directory") {
    throw new Complaint(`cannot overwrite directory ${name} with non-directory`);
  }
  if (to.type !== "directory" && from.type === "directory") {
    throw new Complaint(`cannot overwrite non-directory ${name} with directory ${quoteName(source)}`);
  }
}

/** The complaint of two names of one file. */
export function sameFile({ source, destination }: Placement): Complaint {
  return new Complaint(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
}

function requireDirectory(invocation: Invocation, operand: string, what: string): void {
  invocation.attempt(what, operand, (files, path, credentials) => {
    if (files.status(path, credentials).type !== "directory") throw new FileError("ENOTDIR", "open", operand);
  });
}

/** What goes into a directory. The same name twice would only be overwritten. */
function intoDirectory(sources: readonly string[], directory: string): Placement[] {
  return sources.map((source) => ({ source, destination: join(directory, baseName(source)) }));
}

/**
 * Reads the operands of `cp`, `mv`, `install` and `ln`: `SOURCE DESTINATION`, `SOURCE... DIRECTORY`,
 * `-t DIRECTORY SOURCE...`, and with `-T` never into a directory.
 *
 * @param options.entersDirectory whether a last operand that is a directory is what the others go into.
 * @throws UsageError, Complaint
 */
export function readPlacements(
  invocation: Invocation,
  options: ParsedOptions,
  entersDirectory: (operand: string) => boolean = (operand) => isDirectory(invocation, operand),
): Placement[] {
  const { operands } = options;
  const target = options.value("t");
  const [first, second, third] = operands;
  if (first === undefined) throw new UsageError("missing file operand");
  if (target !== undefined) {
    requireDirectory(invocation, target, "target directory");
    return intoDirectory(operands, target);
  }
  if (second === undefined)
    throw new UsageError(`missing destination file operand after ${quoteName(first)}`);
  if (options.has("T")) {
    if (third !== undefined) throw new UsageError(`extra operand ${quoteWord(third)}`);
    return [{ source: first, destination: second }];
  }
  const last = operands.at(-1) ?? second;
  if (operands.length === 2 && !entersDirectory(last)) return [{ source: first, destination: last }];
  if (operands.length > 2) requireDirectory(invocation, last, "target");
  return intoDirectory(operands.slice(0, -1), last);
}

/** Leaves out what would overwrite what the same command has just put there. */
export function* withoutRepeated(
  invocation: Invocation,
  placements: readonly Placement[],
): Generator<Placement> {
  const taken = new Map<string, number>();
  for (const placement of placements) {
    const [source, destination] = [quoteName(placement.source), quoteName(placement.destination)];
    const inode = statusOf(invocation, placement.source, { followSymlink: false })?.inode;
    const before = taken.get(placement.destination);
    if (before === undefined || inode === undefined) {
      if (inode !== undefined) taken.set(placement.destination, inode);
      yield placement;
    } else if (before === inode) {
      invocation.warn(`warning: source file ${source} specified more than once`);
    } else {
      invocation.complain(`will not overwrite just-created ${destination} with ${source}`);
    }
  }
}

/** Whether `-n`, `-u` or the answer to `-i` leaves what is at a destination alone. */
export async function keepsExisting(
  invocation: Invocation,
  options: ParsedOptions,
  files: { destination: string; status: FileStatus; there: FileStatus | undefined },
): Promise<boolean> {
  const { destination, status, there } = files;
  const wish = options.last("n", "i", "f");
  if (wish === "n" || (options.has("u") && there && there.modifiedAt >= status.modifiedAt)) return true;
  return wish === "i" && !(await invocation.confirm(`overwrite ${quoteName(destination)}?`));
}
