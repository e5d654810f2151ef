import type { MachineFiles } from "durable-machine";
import { concatenate } from "../../lib/common/concatenate.ts";
import type { EventReader } from "../../lib/http/event-log.ts";
import { isFileError } from "./file-refusal.ts";

/** Longer lines are cut into several. */
const MAX_LINE_BYTES = 64 * 1024;

const READ_BYTES = 16 * 1024;

const NEWLINE = 0x0a;

const RESTARTED = "[the file was truncated or replaced; lines that were not sent before are lost]";

interface Change {
  type: string;
  path: string;
}

/**
 * Reads the lines of a file when they are asked for, so that a slow reader takes no memory. The first batch
 * is empty: the file is found, or missing and followed.
 *
 * @param changes absent: the lines that the file has. Otherwise those that are added to it, like `tail -F`,
 * until the changes end.
 * @throws FileError if the path is a directory, or missing and not followed.
 */
export async function* readLines(
  files: MachineFiles,
  path: string,
  changes?: EventReader<Change>,
): AsyncGenerator<string[], undefined> {
  const first = await look(files, path, 0, 0).catch((error) => {
    if (changes && isFileError(error) && error.code === "ENOENT") return undefined;
    throw error;
  });
  let inode = first?.inode;
  let offset = changes ? (first?.size ?? 0) : 0;
  const end = changes ? Number.POSITIVE_INFINITY : (first?.size ?? 0);
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let rest: Uint8Array = new Uint8Array();
  yield [];
  while (offset < end) {
    let lines: string[] = [];
    const found = await look(files, path, offset, Math.min(READ_BYTES, end - offset)).catch((error) => {
      if (!changes || !isFileError(error)) throw error;
    });
    if (found && (found.inode !== inode || found.size < offset)) {
      if (rest.length > 0) lines.push(decoder.decode(rest));
      if (inode !== undefined) lines.push(RESTARTED);
      [inode, offset, rest] = [found.inode, 0, new Uint8Array()];
    } else if (found && found.bytes.length > 0) {
      offset += found.bytes.length;
      ({ lines, rest } = takeLines(concatenate([rest, found.bytes]), decoder));
    } else if (!(await waitForChange(changes, found?.path))) break;
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [decoder.decode(rest)];
  return undefined;
}

async function look(files: MachineFiles, path: string, offset: number, length: number) {
  // Started immediately, so that the file does not change in between.
  const [resolved, { inode, size }, bytes] = await Promise.all([
    files.resolve(path),
    files.status(path),
    files.readRange(path, offset, length),
  ]);
  return { path: resolved, inode, size, bytes };
}

/** @returns false when nothing will change. */
async function waitForChange(changes: EventReader<Change> | undefined, path: string | undefined) {
  for (let change = await changes?.next(); change !== undefined; change = await changes?.next()) {
    // Changes other than writes may also affect the path's directories and symlinks.
    if (change.type !== "WRITE" || change.path === path) return true;
  }
  return false;
}

function takeLines(bytes: Uint8Array, decoder: TextDecoder): { lines: string[]; rest: Uint8Array } {
  const lines: string[] = [];
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const isLong = (newline < 0 ? bytes.length : newline) - start > MAX_LINE_BYTES;
    if (newline < 0 && !isLong) return { lines, rest: bytes.subarray(start) };
    const end = isLong ? start + MAX_LINE_BYTES : newline;
    // The first bytes of a split character wait for the rest.
    lines.push(decoder.decode(bytes.subarray(start, end), { stream: isLong }));
    start = isLong ? end : end + 1;
  }
}
