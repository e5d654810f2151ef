import type { FsStat, IFileSystem } from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import type { ByteInput } from "./byte-input.ts";
import { toByteString, writtenBytes } from "./byte-strings.ts";
import { Devices, typeFlags } from "./devices.ts";
import type { ReadLimit } from "./limits.ts";
import { baseNameOf, joinPath, parentOf } from "./paths.ts";
import type { Shell } from "./shell.ts";
import { isProgram } from "./transforms/command-kinds.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, DEVICES, OWN_COMMANDS, VARIABLES } from "./transforms/names.ts";

type Methods = Required<IFileSystem>;
type Encoding = { encoding?: string | null } | string | undefined;

const BYTES_PER_STEP = 16 * 1024;

const decoder = new TextDecoder();

export interface CommandCall {
  input: () => ByteInput;
  limit?: ReadLimit;
  readBytes: number;
  excess?: string;
  /** What the command writes to /dev/stderr, which may be redirected. */
  errors?: string[];
}

/** The machine's files as the interpreter sees them, with one user's rights, with devices and programs. */
export class MountedFiles implements IFileSystem {
  readonly #shell: Shell;
  readonly #devices: Devices;
  /** While it is set, the command is reading, not the interpreter. */
  #call: CommandCall | undefined;
  readonly #programsFound = new Set<string>();
  #isSourceNext = false;
  #lastLookedAt = "";
  #lastOpenFailure: FileError | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#devices = new Devices(shell);
  }

  async during<T>(call: CommandCall, command: () => Promise<T>): Promise<T> {
    const outer = this.#call;
    this.#call = call;
    try {
      return await command();
    } finally {
      this.#call = outer;
    }
  }

  expectSource(): void {
    this.#isSourceNext = true;
  }

  /** Why the interpreter could not open the last file. It does not report this itself. */
  takeOpenFailure(): FileError | undefined {
    const failure = this.#lastOpenFailure;
    this.#lastOpenFailure = undefined;
    return failure;
  }

  get #files() {
    return this.#shell.context.files;
  }

  get #credentials() {
    return this.#shell.credentials;
  }

  async #step(bytes = 0): Promise<void> {
    const { signal, context, workBudget } = this.#shell;
    signal.throwIfAborted();
    await context.slice.step(1 + bytes / BYTES_PER_STEP);
    signal.throwIfAborted();
    workBudget.renew();
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const encoding = encodingOf(options);
    const isScript = this.#call === undefined && !this.#devices.isDevice(path);
    // The interpreter runs a file by reading it just after it looked at it.
    if (isScript && !this.#isSourceNext && this.#lastLookedAt === path) return executableStub(path);
    const bytes = await this.readFileBuffer(path);
    if (encoding === "binary" || encoding === "latin1") return toByteString(bytes);
    const text = decoder.decode(bytes);
    if (!isScript || !this.#isSourceNext) return text;
    this.#isSourceNext = false;
    return await this.#shell.prepareText(text, path);
  }

  async readFileBytes(path: string): ReturnType<Methods["readFileBytes"]> {
    // `just-bash/browser` does not export the function that creates its opaque ByteString.
    return toByteString(await this.readFileBuffer(path)) as unknown as Awaited<
      ReturnType<Methods["readFileBytes"]>
    >;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    this.#lastLookedAt = "";
    await this.#step();
    return await this.#notingFailure(async () => {
      if (this.#devices.isDevice(path)) return await this.#devices.read(path, this.#call?.input);
      const bytes = this.#readFile(path);
      await this.#step(bytes.length);
      return bytes;
    });
  }

  #readFile(path: string): Uint8Array {
    const { pipeBytes } = this.#shell.context.limits;
    const call = this.#call;
    const limit = call?.limit;
    if (!limit) return this.#files.readAll(path, this.#credentials, pipeBytes);
    try {
      const left = limit.isPerFile ? limit.bytes : limit.bytes - call.readBytes;
      const bytes = this.#files.readAll(path, this.#credentials, Math.min(pipeBytes, left));
      call.readBytes += bytes.length;
      return bytes;
    } catch (error) {
      if (error instanceof FileError && error.code === "EFBIG") call.excess = path;
      throw error;
    }
  }

  async #notingFailure<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (error instanceof FileError) this.#lastOpenFailure = error;
      throw error;
    }
  }

  async writeFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#write(path, writtenBytes(content, encodingOf(options)), false);
  }

  async appendFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#write(path, writtenBytes(content, encodingOf(options)), true);
  }

  async #write(path: string, bytes: Uint8Array, append: boolean): Promise<void> {
    await this.#step(bytes.length);
    if (this.#call?.errors && path === "/dev/stderr") {
      this.#call.errors.push(decoder.decode(bytes));
      return;
    }
    await this.#notingFailure(async () => {
      if (this.#devices.isDevice(path)) await this.#devices.write(path, bytes, append);
      else this.#files.writeAll(path, bytes, this.#credentials, { append });
    });
  }

  async exists(path: string): Promise<boolean> {
    await this.#step();
    this.#programsFound.delete(path);
    if (this.#devices.isDevice(path) || this.#isVirtualProgram(path)) return true;
    return this.#files.exists(path, this.#credentials);
  }

  async stat(path: string): Promise<FsStat> {
    const status = await this.#status(path, true);
    this.#lastLookedAt = this.#call === undefined ? path : "";
    return status;
  }

  async lstat(path: string): Promise<FsStat> {
    return await this.#status(path, false);
  }

  async #status(path: string, followSymlink: boolean): Promise<FsStat> {
    await this.#step();
    if (this.#devices.isDevice(path)) return this.#devices.status(path);
    if (this.#isVirtualProgram(path)) return PROGRAM_STATUS;
    const status = this.#files.status(path, this.#credentials, { followSymlink });
    const { type, mode, size, modifiedAt, inode } = status;
    return { ...typeFlags(type), mode, size, mtime: new Date(modifiedAt), ino: inode };
  }

  #isVirtualProgram(path: string): boolean {
    const name = programName(path);
    if (name === undefined || !isProgram(name)) return false;
    if (!this.#programsFound.has(path)) {
      if (this.#files.exists(path, this.#credentials)) return false;
      this.#programsFound.add(path);
    }
    return true;
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): ReturnType<Methods["readdirWithFileTypes"]> {
    await this.#step();
    const entries = this.#files.list(path, this.#credentials);
    await this.#shell.context.slice.step(1 + entries.length / 64);
    return entries.map(({ name, type }) => ({ name, ...typeFlags(type) }));
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    await this.#step();
    if (this.#devices.isDevice(path)) return this.#devices.remove(path);
    const files = this.#files;
    const credentials = this.#credentials;
    try {
      const { type } = files.status(path, credentials, { followSymlink: false });
      if (options.recursive) await files.removeTree(path, credentials);
      else if (type === "directory") files.removeDirectory(path, credentials);
      else files.unlink(path, credentials);
    } catch (error) {
      if (options.force && error instanceof FileError && error.code === "ENOENT") return;
      throw error;
    }
  }

  async cp(source: string, destination: string): Promise<void> {
    await this.#step();
    await this.#files.copyFile(source, destination, this.#credentials);
  }

  async mv(source: string, destination: string): Promise<void> {
    await this.#step();
    this.#files.rename(source, destination, this.#credentials);
  }

  resolvePath(base: string, path: string): string {
    return joinPath(base, path);
  }

  getAllPaths(): string[] {
    return [];
  }

  async readlink(path: string): Promise<string> {
    await this.#step();
    return this.#files.readSymlink(path, this.#credentials);
  }

  async realpath(path: string): Promise<string> {
    await this.#step();
    if (this.#isVirtualProgram(path)) return path;
    return this.#files.resolve(path, this.#credentials);
  }

  // The machine's own commands replace those that would call these.
  mkdir = unsupported;
  chmod = unsupported;
  symlink = unsupported;
  link = unsupported;
  utimes = unsupported;
}

function unsupported(): Promise<never> {
  return Promise.reject(new Error("operation not supported"));
}

function encodingOf(options: Encoding): string | undefined {
  return (typeof options === "string" ? options : options?.encoding) ?? undefined;
}

const PROGRAM_STATUS: FsStat = { ...typeFlags("file"), mode: 0o755, size: 0, mtime: new Date(0) };

export function programName(path: string): string | undefined {
  return ["/bin", "/usr/bin"].includes(parentOf(path)) ? baseNameOf(path) : undefined;
}

function executableStub(path: string): string {
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  const routes = `>&${DESCRIPTORS.stdout} 2>&${DESCRIPTORS.stderr}`;
  const command = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.script} ${quoted} "$@" ${routes}`;
  return `if [[ -n \${${VARIABLES.liveInput}-} ]]; then ${command} <${DEVICES.input}; else ${command}; fi`;
}
