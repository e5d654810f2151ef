import { FileError, unlessRefused } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { Complaint, type Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

export interface Placement {
  source: string;
  destination: string;
}

export function baseName(path: string): string {
  const trimmed = path.replace(/(?<!\/)\/+$/, "");
  return trimmed === "" && path !== "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

export function directoryName(path: string): string {
  const trimmed = path.replace(/(?<!\/)\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash === -1) return ".";
  return trimmed.slice(0, slash).replace(/(?<!\/)\/+$/, "") || "/";
}

export function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

const UNREACHABLE = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"] as const;

export function statusOf(
  invocation: Invocation,
  operand: string,
  options: { followSymlink?: boolean } = {},
): FileStatus | undefined {
  return unlessRefused(UNREACHABLE, () =>
    invocation.files.status(invocation.path(operand), invocation.credentials, options),
  );
}

export function isDirectory(invocation: Invocation, operand: string): boolean {
  return statusOf(invocation, operand)?.type === "directory";
}

/** Finds out if a destination, which may be missing, is a directory or lies within it. */
export function liesInside(invocation: Invocation, destination: string, { inode }: FileStatus): boolean {
  const existing = statusOf(invocation, destination) ? destination : directoryName(destination);
  if (statusOf(invocation, existing) === undefined) return false;
  let path = invocation.files.resolve(invocation.path(existing), invocation.credentials);
  while (statusOf(invocation, path)?.inode !== inode) {
    if (path === "/") return false;
    path = directoryName(path);
  }
  return true;
}

export function requireSameKind({ source, destination }: Placement, from: FileStatus, to: FileStatus): void {
  const name = quoteName(destination);
  if (to.type === "directory" && from.type !== "directory") {
    throw new Complaint(`cannot overwrite directory ${name} with non-directory`);
  }
  if (to.type !== "directory" && from.type === "directory") {
    throw new Complaint(`cannot overwrite non-directory ${name} with directory ${quoteName(source)}`);
  }
}

export function sameFile({ source, destination }: Placement): Complaint {
  return new Complaint(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
}

function readPlacements(
  invocation: Invocation,
  options: ParsedOptions,
  entersDirectory: (operand: string) => boolean,
): Placement[] {
  const { operands } = options;
  const target = options.value("t");
  const [first, , third] = operands;
  if (first === undefined) throw new UsageError("missing file operand");
  if (options.has("T") && third !== undefined) throw new UsageError(`extra operand ${quoteName(third)}`);
  const directory = target ?? operands.slice(1).at(-1);
  if (directory === undefined) {
    throw new UsageError(`missing destination file operand after ${quoteName(first)}`);
  }
  if (target === undefined && third === undefined && (options.has("T") || !entersDirectory(directory))) {
    return [{ source: first, destination: directory }];
  }
  const role = target === undefined ? "target" : "target directory";
  invocation.attempt(role, directory, (files, path, credentials) => {
    if (files.status(path, credentials).type !== "directory") throw new FileError("ENOTDIR", "open", path);
  });
  const sources = target === undefined ? operands.slice(0, -1) : operands;
  return sources.map((source) => ({ source, destination: join(directory, baseName(source)) }));
}

/** Reads operands of `cp`, `mv`, `install` and `ln`. Refuses sources that would overwrite earlier ones. */
export function* placementsOf(
  invocation: Invocation,
  options: ParsedOptions,
  entersDirectory = (operand: string) => isDirectory(invocation, operand),
): Generator<Placement> {
  const taken = new Map<string, number>();
  for (const placement of readPlacements(invocation, options, entersDirectory)) {
    const [source, destination] = [quoteName(placement.source), quoteName(placement.destination)];
    const inode = statusOf(invocation, placement.source, { followSymlink: false })?.inode;
    const earlier = taken.get(placement.destination);
    if (earlier === undefined || inode === undefined) {
      if (inode !== undefined) taken.set(placement.destination, inode);
      yield placement;
    } else if (earlier === inode) {
      invocation.warn(`warning: source file ${source} specified more than once`);
    } else {
      invocation.complain(`will not overwrite just-created ${destination} with ${source}`);
    }
  }
}

export async function keepsExisting(
  invocation: Invocation,
  options: ParsedOptions,
  files: { destination: string; status: FileStatus; existing: FileStatus | undefined },
): Promise<boolean> {
  const { destination, status, existing } = files;
  if (options.has("n")) return true;
  if (options.has("u") && existing && existing.modifiedAt >= status.modifiedAt) return true;
  const asks = options.last("i", "f") === "i";
  return asks && !(await invocation.confirm(`overwrite ${quoteName(destination)}?`));
}
