import type { FsStat } from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import type { FileType } from "../file-system/file-system.ts";
import type { ByteInput } from "./byte-input.ts";
import { concatenate, toByteString } from "./byte-strings.ts";
import { randomBytes } from "./commands/random.ts";
import type { Shell } from "./shell.ts";
import { DEVICES } from "./transforms/names.ts";

const NOTHING = new Uint8Array(0);
const NEWLINE = 0x0a;

const ENDLESS_BYTES = 1024 * 1024;

/** Stands for input that has not arrived yet. */
export const LIVE_INPUT = "\u0000live input\u0000";

const DEVICE = /^\/dev\/(?:\..*|null|zero|full|u?random|std(?:in|out|err)|fd\/(?:[012]|[1-9]\d))$/;
const ENDLESS_DEVICE = /^\/dev\/(?:zero|full|u?random)$/;

export function typeFlags(type: FileType | "device") {
  return { isFile: type === "file", isDirectory: type === "directory", isSymbolicLink: type === "symlink" };
}

/** The files under /dev: the usual devices, and those by which transformed scripts reach their process. */
export class Devices {
  readonly #shell: Shell;
  readonly #pipes = new Map<string, { pieces: Uint8Array[]; size: number }>();

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  isDevice(path: string): boolean {
    return path.startsWith("/dev/") && DEVICE.test(path);
  }

  status(path: string): FsStat {
    return {
      ...typeFlags(this.#pipes.has(path) ? "file" : "device"),
      mode: 0o666,
      size: this.#pipes.get(path)?.size ?? 0,
      mtime: new Date(),
    };
  }

  /** @param commandInput the standard input of the command that reads; undefined: the interpreter reads. */
  async read(path: string, commandInput?: () => ByteInput): Promise<Uint8Array> {
    const { context, files, options } = this.#shell;
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
        return await options.input.readAll(pipeBytes);
      case "/dev/stdin":
      case "/dev/fd/0":
        return await (commandInput?.() ?? options.input).readAll(pipeBytes);
      case "/dev/null":
      case "/dev/stdout":
      case "/dev/stderr":
      case "/dev/fd/1":
      case "/dev/fd/2":
        return NOTHING;
    }
    if (path.startsWith(DEVICES.defined)) {
      const definition = context.registry.functions[Number(path.slice(DEVICES.defined.length))];
      if (definition) this.#shell.addFunction(definition);
      return NOTHING;
    }
    if (path.startsWith(DEVICES.inputLine)) return await this.#readLine(path.slice(DEVICES.inputLine.length));
    const pipe = this.#pipes.get(path);
    if (pipe) return concatenate(pipe.pieces);
    if (!ENDLESS_DEVICE.test(path)) throw new FileError("ENOENT", "read", path);
    // A bundled command would read the device whole.
    if (commandInput) throw new FileError("EFBIG", "read", path);
    const isRandom = path.endsWith("random");
    const bytes = isRandom ? randomBytes(ENDLESS_BYTES) : new Uint8Array(ENDLESS_BYTES);
    this.#shell.keepEndless({ text: toByteString(bytes), repeats: !isRandom });
    return bytes;
  }

  /** @param query `n` or `N` bytes at most, `d`elimiter byte, `t`imeout in milliseconds. */
  async #readLine(query: string): Promise<Uint8Array> {
    // A pending signal keeps the shell from waiting for input.
    if (this.#shell.traps.see()) return NOTHING;
    const parameters = new URLSearchParams(query);
    const most = Number(parameters.get("N") ?? parameters.get("n") ?? Number.POSITIVE_INFINITY);
    const delimiter = parameters.has("N") ? undefined : Number(parameters.get("d") ?? NEWLINE);
    const milliseconds = parameters.has("t") ? Number(parameters.get("t")) : undefined;
    return await this.#shell.options.input.readUntil(delimiter, most, milliseconds);
  }

  async write(path: string, bytes: Uint8Array, append: boolean): Promise<void> {
    switch (path) {
      case DEVICES.stdout:
      case "/dev/stdout":
      case "/dev/fd/1":
        return await this.#shell.writeOutput(bytes);
      case DEVICES.stderr:
      case "/dev/stderr":
      case "/dev/fd/2":
        return await this.#shell.writeError(bytes);
      case "/dev/full":
        if (bytes.length > 0) throw new FileError("ENOSPC", "write", path);
    }
    if (path.startsWith(DEVICES.pipe) || path.startsWith("/dev/fd/")) this.#fill(path, bytes, append);
  }

  #fill(path: string, bytes: Uint8Array, append: boolean): void {
    const pipe = (append ? this.#pipes.get(path) : undefined) ?? { pieces: [], size: 0 };
    pipe.size += bytes.length;
    const { pipeBytes } = this.#shell.context.limits;
    if (pipe.size > pipeBytes) throw new Error(`pipe: more than ${pipeBytes} bytes: limit of this machine`);
    if (bytes.length > 0) pipe.pieces.push(bytes.slice());
    this.#pipes.set(path, pipe);
  }

  remove(path: string): void {
    this.#pipes.delete(path);
  }
}
