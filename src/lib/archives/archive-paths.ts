import type { TimeSlice } from "durable-machine/time-slice";
import { ArchiveError } from "./archive-error.ts";

const MAX_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 4095;

/** Looking up the parent directories of a path this long costs one step of a TimeSlice. */
const CHARACTERS_PER_STEP = 64;

/**
 * Normalizes the name of an entry to a path below the directory that the archive is unpacked into.
 * @throws ArchiveError if the path is invalid or leads out of the directory, even when read as a Windows
 * path.
 * @example readEntryPath("./a//b/") // "a/b"
 */
export function readEntryPath(name: string): string {
  if (name.includes("\0")) throw new ArchiveError(`${quote(name)} has a NUL in its name`);
  const asOnWindows = name.replaceAll("\\", "/");
  if (asOnWindows.startsWith("/") || /^[a-z]:(\/|$)/i.test(asOnWindows)) {
    throw new ArchiveError(`${quote(name)} is an absolute path`);
  }
  if (asOnWindows.split("/").includes("..")) {
    throw new ArchiveError(`${quote(name)} leads out of the destination`);
  }
  const names = name.split("/").filter((part) => part !== "" && part !== ".");
  const path = names.join("/");
  if (byteLength(path) > MAX_PATH_LENGTH || names.some((part) => byteLength(part) > MAX_NAME_LENGTH)) {
    throw new ArchiveError(`${quote(name)} is too long for a path`);
  }
  return path;
}

/**
 * What is wrong with a symlink that is invalid or leads out of the directory that the archive is unpacked
 * into. `..` is allowed only at the target's start, because any name before it may itself be a symlink.
 */
export function findUnsafeTarget({ path, target }: { path: string; target: string }): string | undefined {
  const complain = (problem: string) => `${quote(path)} is a symlink ${problem}: ${quote(target)}`;
  if (target === "" || target.includes("\0") || byteLength(target) > MAX_PATH_LENGTH) {
    return complain("to an invalid path");
  }
  if (target.startsWith("/")) return complain("to an absolute path");
  const names = target.split("/").filter((part) => part !== "" && part !== ".");
  const climbs = names.lastIndexOf("..") + 1;
  const depth = path.split("/").length - 1;
  if (climbs > depth || names.slice(0, climbs).some((part) => part !== "..")) {
    return complain("that leads out of the destination");
  }
  return undefined;
}

/** @throws ArchiveError if two entries have the same path, or one is below an entry that is no directory. */
export async function requireNoConflicts(
  entries: readonly { path: string; type: string }[],
  slice: TimeSlice,
): Promise<void> {
  const types = new Map<string, string>();
  for (const { path, type } of entries) {
    if (types.has(path)) throw new ArchiveError(`${quote(path)} is in the archive twice`);
    types.set(path, type);
    await slice.step();
  }
  let checked = "";
  for (const { path } of entries) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (parent === checked) continue;
    for (const above of directoriesAbove(path)) {
      const type = types.get(above) ?? "directory";
      if (type === "directory") continue;
      throw new ArchiveError(`${quote(path)} is below ${quote(above)}, which is not a directory`);
    }
    checked = parent;
    await slice.step(path.length / CHARACTERS_PER_STEP);
  }
}

function* directoriesAbove(path: string): Generator<string, void, undefined> {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
}

/** Quotes a name for a message: on one line, and shortened. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
