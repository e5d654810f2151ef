import type { TimeSlice } from "durable-machine/time-slice";
import { ArchiveError } from "./archive-error.ts";

/** What Linux allows for one name, and for a whole path, in bytes. */
const MAX_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 4095;

/** Of how long a path the directories are looked up in the time of one ordinary step. */
const CHARACTERS_PER_STEP = 64;

/**
 * The path of an entry below the directory that an archive is unpacked into.
 *
 * @param name as the archive has it.
 * @returns the path without `.`, empty names and slashes at its end; "": the directory itself.
 * @throws ArchiveError where the path leads out of the directory, on this system or with the backslashes and drive
 *     letters of others, or cannot be a path.
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
 * What is wrong with a symlink that leads out of the directory that the archive is unpacked into. Of its target, `..`
 * may only be the beginning: behind a name, which may be a symlink itself, nobody knows where it leads.
 *
 * @returns undefined where nothing is.
 */
export function findUnsafeTarget({ path, target }: { path: string; target: string }): string | undefined {
  const complain = (problem: string) => `${quote(path)} is a symlink ${problem}: ${quote(target)}`;
  if (target === "" || target.includes("\0") || byteLength(target) > MAX_PATH_LENGTH) {
    return complain("to what is no path");
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

/**
 * Refuses entries of which one takes another's place: a path given twice, or something below what is no directory.
 *
 * @throws ArchiveError
 */
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
      throw new ArchiveError(`${quote(path)} is below ${quote(above)}, which is no directory`);
    }
    checked = parent;
    await slice.step(path.length / CHARACTERS_PER_STEP);
  }
}

function* directoriesAbove(path: string): Generator<string, void, undefined> {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
}

/** A name for a message: on one line, and not longer than anybody reads. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
