import { expect } from "vitest";
import { FileError, type FileErrorCode } from "../../src/file-system/file-error.ts";
import type { FileChange } from "../../src/file-system/file-system.ts";
import { FileSystem } from "../../src/file-system/file-system.ts";
import { TimeSlice } from "../../src/time-slice.ts";
import { IDENTITY, onError } from "../identity.ts";
import { Storage } from "../storage.ts";

/** Not root, and owner of no files. */
export const OTHER_USER = { uid: 2000, gid: 2000, umask: 0o022 };

const MEBIBYTE = 2 ** 20;

interface OpenOptions {
  quotaBytes?: number;
  slice?: TimeSlice;
  now?: () => number;
}

export interface OpenFiles {
  files: FileSystem;
  storage: Storage;
  /** Reopens the storage, as after a crash. */
  reopen: (options?: OpenOptions) => FileSystem;
}

export async function withFiles(
  test: (open: OpenFiles) => void | Promise<void>,
  options: OpenOptions = {},
): Promise<void> {
  using storage = new Storage();
  let opened: FileSystem | undefined;
  const reopen = ({ quotaBytes = 256 * MEBIBYTE, slice = new TimeSlice(), now }: OpenOptions = options) => {
    // Closed, because a crashed file system changes nothing more.
    opened?.close();
    const { sql, transactionSync: transaction } = storage;
    opened = new FileSystem({ sql, transaction, quotaBytes, slice, now, identity: IDENTITY, onError });
    opened.create();
    return opened;
  };
  try {
    await test({ files: reopen(), storage, reopen });
  } finally {
    opened?.close();
  }
}

/** The code of the FileError that `work` throws; undefined if it does not throw. */
export function errorCodeOf(work: () => unknown): FileErrorCode | undefined {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(FileError);
    return error instanceof FileError ? error.code : undefined;
  }
  return undefined;
}

/** The code of the FileError that `work` rejects with; undefined if it resolves. */
export async function rejectionCodeOf(work: Promise<unknown>): Promise<FileErrorCode | undefined> {
  try {
    await work;
  } catch (error) {
    return errorCodeOf(() => {
      throw error;
    });
  }
  return undefined;
}

export function countRows({ sql }: Storage): Record<string, number> {
  const count = (table: string) =>
    sql.exec<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${table}`).one().rows;
  return {
    inodes: count("inode"),
    names: count("directory_entry"),
    chunks: count("content_chunk"),
  };
}

/** The changes that watchers are notified of during `work`. */
export async function changesOf(files: FileSystem, work: () => unknown): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  const end = files.watch((change) => changes.push(change));
  await work();
  end();
  return changes;
}

/** Bytes that vary by position, so that misplaced ones are detected. */
export function patternOf(length: number, seed = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 31 + (index >> 12) + seed) & 255;
  return bytes;
}

/** Compares bytes much faster than `toEqual` and reports the first difference. */
export function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.length).toBe(expected.length);
  const first = actual.findIndex((byte, index) => byte !== expected[index]);
  expect(first, "index of the first difference").toBe(-1);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function streamOf(...pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

export async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function openFiles(quotaBytes = 2 ** 30): {
  files: FileSystem;
  sql: Storage["sql"];
  close: () => void;
} {
  const storage = new Storage();
  const files = new FileSystem({
    sql: storage.sql,
    transaction: storage.transactionSync,
    quotaBytes,
    slice: new TimeSlice(),
    identity: IDENTITY,
    onError,
  });
  files.create();
  return {
    files,
    sql: storage.sql,
    close() {
      files.close();
      storage[Symbol.dispose]();
    },
  };
}
