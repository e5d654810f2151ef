import type { FsStat } from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import type { ByteInput } from "./byte-input.ts";
import { toByteString } from "./byte-strings.ts";
import { randomBytes } from "./commands/random.ts";
import type { Shell } from "./shell.ts";
import { DEVICES } from "./transforms/names.ts";

const NOTHING = new Uint8Array(0);
const NEWLINE = 0x0a;

/** The bytes of an endless device that stand for all of it. */
const ENDLESS_BYTES = 1024 * 1024;

/** Stands for input that is yet to come; commands know it by its identity. */
export const LIVE_INPUT = "\u0000live input\u0000";

const CHARACTER_DEVICES = new Set(["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr"]);

/** What stands under /dev: the devices of every Unix, and those by which transformed scripts reach their process. */
export class Devices {
  readonly #shell: Shell;
  /** Bytes on their way between two stages, and those of process substitutions. */
  readonly #pipes = new Map<string, { pieces: Uint8Array[]; size: number }>();

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  isDevice(path: string): boolean {
    if (!path.startsWith("/dev/")) return false;
    const name = path.slice("/dev/".length);
    return name.startsWith(".") || CHARACTER_DEVICES.has(name) || /^fd\/([012]|[1-9]\d)$/.test(name);
  }

  status(path: string): FsStat {
    return {
      isFile: this.#pipes.has(path),
      isDirectory: false,
      isSymbolicLink: false,
      mode: 0o666,
      size: this.#pipes.get(path)?.size ?? 0,
      mtime: new Date(),
    };
  }

  /** @returns what a device is read to hold; undefined: it is none. @throws FileError where it has no end. */
  async read(path: string, commandInput?: () => ByteInput): Promise<Uint8Array | undefined> {
    if (!this.isDevice(path)) return undefined;
    const { context, files, options } = this.#shell;
    const { input } = options;
    const { pipeBytes } = context.limits;
    switch (path) {
      case DEVICES.turn:
        await context.slice.step();
        return NOTHING;
      case DEVICES.source:
        files.expectSource();
        return NOTHING;
      case DEVICES.input:
        return new TextEncoder().encode(LIVE_INPUT);
      case DEVICES.wholeInput:
        return await input.readAll(pipeBytes);
      case "/dev/stdin":
      case "/dev/fd/0":
        return await (commandInput?.() ?? input).readAll(pipeBytes);
      case "/dev/null":
      case "/dev/stdout":
      case "/dev/stderr":
      case "/dev/fd/1":
      case "/dev/fd/2":
        return NOTHING;
    }
    if (path.startsWith(DEVICES.defined)) {
      this.#shell.defineFunction(Number(path.slice(DEVICES.defined.length)));
      return NOTHING;
    }
    if (path.startsWith(DEVICES.inputLine)) return await this.#readLine(path.slice(DEVICES.inputLine.length));
    const pipe = this.#pipes.get(path);
    if (pipe) return concatenate(pipe.pieces, pipe.size);
    if (!CHARACTER_DEVICES.has(path.slice("/dev/".length))) throw new FileError("ENOENT", "read", path);
    // A command that reads the device itself has to say how much of it.
    if (commandInput) throw new FileError("EFBIG", "read", path);
    return this.#beginningOf(path);
  }

  /** What a command reads first whose standard input is an endless device. */
  #beginningOf(path: string): Uint8Array {
    const isRandom = path.endsWith("random");
    const bytes = isRandom ? randomBytes(ENDLESS_BYTES) : new Uint8Array(ENDLESS_BYTES);
    this.#shell.keepEndless({ text: toByteString(bytes), repeats: !isRandom });
    return bytes;
  }

  /** @param query `n` or `N` bytes at most, `d`elimiter byte, `t`imeout in milliseconds. */
  async #readLine(query: string): Promise<Uint8Array> {
    // A signal that has come keeps the shell from waiting for input.
    if (this.#shell.traps.see()) return NOTHING;
    const parameters = new URLSearchParams(query);
    const most = Number(parameters.get("N") ?? parameters.get("n") ?? Number.POSITIVE_INFINITY);
    const delimiter = parameters.has("N") ? undefined : Number(parameters.get("d") ?? NEWLINE);
    const timeout = parameters.get("t");
    const milliseconds = timeout === null ? undefined : Number(timeout);
    return await this.#shell.options.input.readUntil(delimiter, most, milliseconds);
  }

  /** @returns whether the path is a device's. */
  async write(path: string, bytes: Uint8Array, append: boolean): Promise<boolean> {
    if (!this.isDevice(path)) return false;
    switch (path) {
      case DEVICES.stdout:
      case "/dev/stdout":
      case "/dev/fd/1":
        await this.#shell.writeOutput(bytes);
        return true;
      case DEVICES.stderr:
      case "/dev/stderr":
      case "/dev/fd/2":
        await this.#shell.writeError(bytes);
        return true;
      case "/dev/full":
        if (bytes.length > 0) throw new FileError("ENOSPC", "write", path);
        return true;
    }
    if (path.startsWith(DEVICES.pipe) || path.startsWith("/dev/fd/")) this.#fill(path, bytes, append);
    return true;
  }

  #fill(path: string, bytes: Uint8Array, append: boolean): void {
    const pipe = (append ? this.#pipes.get(path) : undefined) ?? { pieces: [], size: 0 };
    pipe.size += bytes.length;
    const { pipeBytes } = this.#shell.context.limits;
    if (pipe.size > pipeBytes) throw new Error(`pipe: more than ${pipeBytes} bytes: limit of this machine`);
    if (bytes.length > 0) pipe.pieces.push(bytes.slice());
    this.#pipes.set(path, pipe);
  }

  /** @returns whether the path is a device's, which stays unless it is a substitution's. */
  remove(path: string): boolean {
    if (!this.isDevice(path)) return false;
    this.#pipes.delete(path);
    return true;
  }
}

function concatenate(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
