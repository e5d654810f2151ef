import { Buffer } from "node:buffer";
import { FileError } from "../../file-system/file-error.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { quoteForShell } from "./quoting.ts";
import { randomBytes } from "./random.ts";

export const PIECE_LENGTH = 256 * 1024;

const NOTHING = new Uint8Array(0);

export interface ByteSource {
  /** The bytes that a file had when it was opened; undefined for streams and endless devices. */
  readonly size: number | undefined;
  /** Whether a read may return fewer bytes than requested before the end, as from a pipe. */
  readonly isStream: boolean;
  /** The next bytes, at most `length`; none at the end. */
  read(length: number): Promise<Uint8Array>;
  /** @returns how many of the next `length` bytes there were. */
  skip(length: number): Promise<number>;
}

function stepped(
  invocation: Invocation,
  read: (length: number) => Uint8Array | Promise<Uint8Array>,
): ByteSource["read"] {
  return async (length) => {
    const piece = await read(Math.min(length, PIECE_LENGTH));
    await invocation.stepBytes(piece.length);
    return piece;
  };
}

function sizedSource(
  invocation: Invocation,
  size: number,
  readAt: (offset: number, length: number) => Uint8Array,
): ByteSource {
  let offset = 0;
  const available = (length: number) => Math.max(0, Math.min(length, size - offset));
  const read = stepped(invocation, (length) => {
    const wanted = available(length);
    const piece = wanted === 0 ? NOTHING : readAt(offset, wanted);
    offset += piece.length;
    return piece;
  });
  const skip = async (length: number) => {
    const skipped = available(length);
    offset += skipped;
    return skipped;
  };
  return { size, isStream: false, read, skip };
}

function bytesSource(invocation: Invocation, bytes: Uint8Array): ByteSource {
  return sizedSource(invocation, bytes.length, (offset, length) => bytes.subarray(offset, offset + length));
}

function endlessSource(invocation: Invocation, make: (length: number) => Uint8Array): ByteSource {
  const skip = async (length: number) => length;
  return { size: undefined, isStream: false, read: stepped(invocation, make), skip };
}

/** A file up to its size at the opening, so that a command which appends to its own input ends. */
function fileSource(invocation: Invocation, path: string): ByteSource {
  const { files, credentials } = invocation;
  const { size, type } = files.status(path, credentials);
  if (type === "directory") throw new FileError("EISDIR", "read", path);
  // An empty read checks the permission.
  files.readRange(path, credentials, 0, 0);
  return sizedSource(invocation, size, (offset, length) =>
    files.readRange(path, credentials, offset, length),
  );
}

export function inputSource(invocation: Invocation): ByteSource {
  const read = stepped(invocation, (length) => invocation.input.readSome(length));
  const skip = async (length: number) => {
    let skipped = 0;
    for (let piece = await read(length); piece.length > 0; piece = await read(length - skipped)) {
      skipped += piece.length;
    }
    return skipped;
  };
  return { size: undefined, isStream: true, read, skip };
}

/** @throws FileError EISDIR for a directory, and other errors of the file system. */
export async function openPath(invocation: Invocation, operand: string): Promise<ByteSource> {
  const path = invocation.path(operand);
  switch (path) {
    case "/dev/null":
      return bytesSource(invocation, NOTHING);
    case "/dev/zero":
    case "/dev/full":
      return endlessSource(invocation, (length) => new Uint8Array(length));
    case "/dev/random":
    case "/dev/urandom":
      return endlessSource(invocation, randomBytes);
    case "/dev/stdin":
    case "/dev/fd/0":
    case "/proc/self/fd/0":
      return inputSource(invocation);
  }
  // Only the shell has the files of `<(…)`.
  if (path.startsWith("/dev/fd/")) {
    return bytesSource(invocation, await invocation.context.fs.readFileBuffer(path));
  }
  return fileSource(invocation, path);
}

/** @throws FileError */
export async function openOperand(invocation: Invocation, operand: string): Promise<ByteSource> {
  return operand === "-" ? inputSource(invocation) : await openPath(invocation, operand);
}

/** An error ends the command. */
export async function openOnly(
  invocation: Invocation,
  operand = "-",
  exitCode?: number,
): Promise<ByteSource> {
  try {
    return await openOperand(invocation, operand);
  } catch (error) {
    invocation.fail(`${quoteForShell(operand)}: ${errorText(error)}`, exitCode);
  }
}

/** Opens the operands in turn, or standard input if there are none, and reports those that cannot be read. */
export async function forEachSource(
  invocation: Invocation,
  operands: readonly string[],
  use: (source: ByteSource, operand: string) => Promise<void>,
  describe = quoteForShell,
): Promise<void> {
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    try {
      await use(await openOperand(invocation, operand), operand);
    } catch (error) {
      invocation.complain(`${describe(operand)}: ${errorText(error)}`);
    }
  }
}

export async function* pieces(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await source.read(PIECE_LENGTH);
    if (piece.length === 0) return;
    yield piece;
  }
}

/** The next `length` bytes; fewer only at the end. */
export async function readFully(source: Pick<ByteSource, "read">, length: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let left = length; left > 0; ) {
    const piece = await source.read(left);
    if (piece.length === 0) break;
    parts.push(piece);
    left -= piece.length;
  }
  const [first = NOTHING] = parts;
  return parts.length > 1 ? Buffer.concat(parts) : first;
}
