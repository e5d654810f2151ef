import { FileError } from "../../file-system/file-error.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { quoteForShell } from "./quoting.ts";
import { randomBytes } from "./random.ts";

/** How much of a file is taken at once: enough that its rows are read once, little enough to hold several. */
export const PIECE_LENGTH = 256 * 1024;

const NOTHING = new Uint8Array(0);

/** What a command reads, from its front: a file, a device, or standard input. */
export interface ByteSource {
  /** Bytes of a file at its opening; undefined: its end is only known when it comes. */
  readonly size: number | undefined;
  /** Whether it gives what there is just now, as a pipe does, and not all that it is asked for. */
  readonly isStream: boolean;
  /** The next bytes, at most `length`; none at the end. */
  read(length: number): Promise<Uint8Array>;
  /** Goes on behind the next `length` bytes. @returns how many there were. */
  skip(length: number): Promise<number>;
}

/** A source whose end is known, of which any part can be had. */
function sizedSource(
  size: number,
  readAt: (offset: number, length: number) => Promise<Uint8Array>,
): ByteSource {
  let offset = 0;
  return {
    size,
    isStream: false,
    read: async (length) => {
      const wanted = Math.min(length, size - offset);
      if (wanted <= 0) return NOTHING;
      const piece = await readAt(offset, wanted);
      offset += piece.length;
      return piece;
    },
    skip: async (length) => {
      const skipped = Math.max(0, Math.min(length, size - offset));
      offset += skipped;
      return skipped;
    },
  };
}

/** Bytes that are there already. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return sizedSource(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
}

function endlessSource(invocation: Invocation, make: (length: number) => Uint8Array): ByteSource {
  const read = async (length: number) => {
    const piece = make(Math.min(length, PIECE_LENGTH));
    await invocation.stepBytes(piece.length);
    return piece;
  };
  return { size: undefined, isStream: false, read, skip: async (length) => length };
}

/** A file up to its size at the opening: one that its own reader appends to would never end. */
function fileSource(invocation: Invocation, path: string): ByteSource {
  const { files, credentials } = invocation;
  const { size, type } = files.status(path, credentials);
  if (type === "directory") throw new FileError("EISDIR", "read", path);
  // Reading nothing finds out whether the file may be read.
  files.readRange(path, credentials, 0, 0);
  return sizedSource(size, async (offset, length) => {
    const piece = files.readRange(path, credentials, offset, Math.min(length, PIECE_LENGTH));
    await invocation.stepBytes(piece.length);
    return piece;
  });
}

function deviceSource(invocation: Invocation, path: string): ByteSource | undefined {
  switch (path) {
    case "/dev/null":
      return bytesSource(NOTHING);
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
    default:
      return undefined;
  }
}

/** Standard input. */
export function inputSource(invocation: Invocation): ByteSource {
  const read = async (length: number) => {
    const piece = await invocation.input.readSome(length);
    await invocation.stepBytes(piece.length);
    return piece;
  };
  return { size: undefined, isStream: true, read, skip: (length) => skipByReading(read, length) };
}

/** Passes over bytes of what can only be read. @returns how many there were. */
export async function skipByReading(read: ByteSource["read"], length: number): Promise<number> {
  let skipped = 0;
  while (skipped < length) {
    const piece = await read(Math.min(PIECE_LENGTH, length - skipped));
    if (piece.length === 0) break;
    skipped += piece.length;
  }
  return skipped;
}

/**
 * Opens what a path names.
 *
 * @throws FileError EISDIR of a directory, and whatever else the file system refuses with.
 */
export async function openPath(invocation: Invocation, operand: string): Promise<ByteSource> {
  const path = invocation.path(operand);
  const device = deviceSource(invocation, path);
  if (device) return device;
  // The shell keeps the files of `<(…)` to itself.
  if (path.startsWith("/dev/fd/")) return bytesSource(await invocation.context.fs.readFileBuffer(path));
  return fileSource(invocation, path);
}

/** Opens an operand of a command that reads: `-` is standard input. */
export async function openOperand(invocation: Invocation, operand: string): Promise<ByteSource> {
  return operand === "-" ? inputSource(invocation) : await openPath(invocation, operand);
}

/** Opens the only operand of a command, which ends if it is refused. */
export async function openOnly(invocation: Invocation, operand: string): Promise<ByteSource> {
  try {
    return await openOperand(invocation, operand);
  } catch (error) {
    invocation.fail(`${quoteForShell(operand)}: ${errorText(error)}`);
  }
}

/** Opens one operand after the other, standard input where there is none, and complains of each that is refused. */
export async function forEachSource(
  invocation: Invocation,
  operands: readonly string[],
  use: (source: ByteSource, operand: string) => Promise<void>,
): Promise<void> {
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    try {
      await use(await openOperand(invocation, operand), operand);
    } catch (error) {
      invocation.complain(`${quoteForShell(operand)}: ${errorText(error)}`);
    }
  }
}

/** All that a source still holds, piece by piece. */
export async function* pieces(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await source.read(PIECE_LENGTH);
    if (piece.length === 0) return;
    yield piece;
  }
}

/** The next `length` bytes; fewer only at the end. */
export async function readFully(source: Pick<ByteSource, "read">, length: number): Promise<Uint8Array> {
  const first = await source.read(length);
  if (first.length === length || first.length === 0) return first;
  const whole = new Uint8Array(length);
  let filled = 0;
  for (let piece = first; piece.length > 0; piece = await source.read(length - filled)) {
    whole.set(piece, filled);
    filled += piece.length;
    if (filled === length) break;
  }
  return whole.subarray(0, filled);
}
