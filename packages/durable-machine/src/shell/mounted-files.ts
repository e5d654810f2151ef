import type { FsStat, IFileSystem } from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import type { FileStatus } from "../file-system/file-system.ts";
import type { ByteInput } from "./byte-input.ts";
import { toByteString, writtenBytes } from "./byte-strings.ts";
import { isProgram } from "./command-names.ts";
import { Devices } from "./devices.ts";
import { joinPath, parentOf } from "./paths.ts";
import type { Shell } from "./shell.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, DEVICES, OWN_COMMANDS, VARIABLES } from "./transforms/names.ts";

type Methods = Required<IFileSystem>;
type Encoding = { encoding?: string | null } | string | undefined;

const BYTES_PER_STEP = 16 * 1024;

const decoder = new TextDecoder();

/** How much a command may read: of all files together, or of each. */
export interface ReadLimit {
  bytes: number;
  isPerFile?: boolean;
}

interface Allowance extends ReadLimit {
  left: number;
  excess?: string;
}

/** The machine's files as the interpreter sees them: with one user's rights, with devices, and with programs. */
export class MountedFiles implements IFileSystem {
  readonly #shell: Shell;
  readonly #devices: Devices;
  /** Calls of commands that are under way: what is read meanwhile, they read, and not the interpreter. */
  #commandsRunning = 0;
  #limit: Allowance | undefined;
  #commandInput: (() => ByteInput) | undefined;
  /** Programs that have been looked for before: as every shell, this one remembers where they are. */
  readonly #programsFound = new Set<string>();
  #isSourceNext = false;
  /** The path that the interpreter has looked at last, as it does before it runs a file. */
  #lastLookedAt = "";
  /** Why the last file that the interpreter was to open was not opened: it does not say so itself. */
  #lastOpenFailure: FileError | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#devices = new Devices(shell);
  }

  /**
   * Runs a command, whose reading of a file is not the interpreter's.
   *
   * @param input its standard input, for when it opens that as a file.
   */
  async during<T>(command: () => Promise<T>, input: () => ByteInput): Promise<T> {
    const outer = this.#commandInput;
    this.#commandsRunning++;
    this.#commandInput = input;
    try {
      return await command();
    } finally {
      this.#commandsRunning--;
      this.#commandInput = outer;
    }
  }

  /**
   * Runs a command that is not to read more than so much.
   *
   * @returns its result, and the file with which it was too much.
   */
  async limited<T>(limit: ReadLimit, command: () => Promise<T>): Promise<{ result: T; excess?: string }> {
    const outer = this.#limit;
    const allowance: Allowance = { ...limit, left: limit.bytes };
    this.#limit = allowance;
    try {
      const result = await command();
      return { result, excess: allowance.excess };
    } finally {
      this.#limit = outer;
    }
  }

  expectSource(): void {
    this.#isSourceNext = true;
  }

  /** The refusal that the interpreter is about to report in words of its own. */
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
    const encoding = typeof options === "string" ? options : options?.encoding;
    const isOwn = this.#commandsRunning === 0;
    if (isOwn && this.#isExecution(path)) return executableStub(path);
    const bytes = await this.#read(path);
    if (encoding === "binary" || encoding === "latin1") return toByteString(bytes);
    const text = decoder.decode(bytes);
    if (!isOwn || !this.#isSourceNext || this.#devices.isDevice(path)) return text;
    this.#isSourceNext = false;
    return await this.#shell.prepareText(text, path);
  }

  /** The interpreter runs a file that it has just looked at by reading it; a sourced file says so before. */
  #isExecution(path: string): boolean {
    return !this.#isSourceNext && this.#lastLookedAt === path && !this.#devices.isDevice(path);
  }

  async readFileBytes(path: string): ReturnType<Methods["readFileBytes"]> {
    return toByteString(await this.#read(path)) as unknown as Awaited<ReturnType<Methods["readFileBytes"]>>;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return await this.#read(path);
  }

  async #read(path: string): Promise<Uint8Array> {
    this.#lastLookedAt = "";
    await this.#step();
    try {
      const device = await this.#devices.read(path, this.#commandInput);
      if (device) return device;
      const bytes = this.#readFile(path);
      await this.#step(bytes.length);
      return bytes;
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  #readFile(path: string): Uint8Array {
    const { pipeBytes } = this.#shell.context.limits;
    const limit = this.#limit;
    if (!limit) return this.#files.readAll(path, this.#credentials, pipeBytes);
    try {
      const bytes = this.#files.readAll(path, this.#credentials, Math.min(pipeBytes, limit.left));
      if (!limit.isPerFile) limit.left -= bytes.length;
      return bytes;
    } catch (error) {
      if (error instanceof FileError && error.code === "EFBIG") limit.excess = path;
      throw error;
    }
  }

  #noteFailure(error: unknown): void {
    if (error instanceof FileError) this.#lastOpenFailure = error;
  }

  async writeFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#write(path, content, options, false);
  }

  async appendFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#write(path, content, options, true);
  }

  async #write(
    path: string,
    content: string | Uint8Array,
    options: Encoding,
    append: boolean,
  ): Promise<void> {
    const encoding = typeof options === "string" ? options : (options?.encoding ?? undefined);
    const bytes = writtenBytes(content, encoding);
    await this.#step(bytes.length);
    try {
      if (await this.#devices.write(path, bytes, append)) return;
      this.#files.writeAll(path, bytes, this.#credentials, { append });
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  async exists(path: string): Promise<boolean> {
    await this.#step();
    this.#programsFound.delete(path);
    if (this.#devices.isDevice(path) || this.#isVirtualProgram(path)) return true;
    return this.#files.exists(path, this.#credentials);
  }

  async stat(path: string): Promise<FsStat> {
    const status = await this.#status(path, true);
    this.#lastLookedAt = this.#commandsRunning === 0 ? path : "";
    return status;
  }

  async lstat(path: string): Promise<FsStat> {
    return await this.#status(path, false);
  }

  async #status(path: string, followSymlink: boolean): Promise<FsStat> {
    await this.#step();
    if (this.#devices.isDevice(path)) return this.#devices.status(path);
    if (this.#isVirtualProgram(path)) return PROGRAM_STATUS;
    return toFsStat(this.#files.status(path, this.#credentials, { followSymlink }));
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

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    await this.#step();
    this.#files.makeDirectory(path, this.#credentials, { parents: options?.recursive ?? false });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): ReturnType<Methods["readdirWithFileTypes"]> {
    await this.#step();
    const entries = this.#files.list(path, this.#credentials);
    await this.#shell.context.slice.step(1 + entries.length / 64);
    return entries.map(({ name, type }) => ({
      name,
      isFile: type === "file",
      isDirectory: type === "directory",
      isSymbolicLink: type === "symlink",
    }));
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    await this.#step();
    const files = this.#files;
    if (this.#devices.remove(path)) return;
    try {
      const isDirectory =
        files.status(path, this.#credentials, { followSymlink: false }).type === "directory";
      if (options.recursive) await files.removeTree(path, this.#credentials);
      else if (isDirectory) files.removeDirectory(path, this.#credentials);
      else files.unlink(path, this.#credentials);
    } catch (error) {
      if (options.force && error instanceof FileError && error.code === "ENOENT") return;
      throw error;
    }
  }

  async cp(source: string, destination: string, options: { recursive?: boolean } = {}): Promise<void> {
    await this.#step();
    const files = this.#files;
    if (files.status(source, this.#credentials).type !== "directory") {
      await files.copyFile(source, destination, this.#credentials);
      return;
    }
    if (!options.recursive) throw new FileError("EISDIR", "cp", source);
    files.makeDirectory(destination, this.#credentials, { parents: true });
    for (const { name } of files.list(source, this.#credentials)) {
      await this.cp(joinPath(source, name), joinPath(destination, name), options);
    }
  }

  async mv(source: string, destination: string): Promise<void> {
    await this.#step();
    this.#files.rename(source, destination, this.#credentials);
  }

  resolvePath(base: string, path: string): string {
    return joinPath(base, path);
  }

  /** Paths are looked up as they are needed; nobody wants all of them. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#step();
    this.#files.changeMode(path, this.#credentials, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#step();
    this.#files.symlink(target, path, this.#credentials);
  }

  async link(existing: string, path: string): Promise<void> {
    await this.#step();
    this.#files.link(existing, path, this.#credentials);
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

  async utimes(path: string, accessedAt: Date, modifiedAt: Date): Promise<void> {
    await this.#step();
    this.#files.setTimes(path, this.#credentials, {
      accessedAt: accessedAt.getTime(),
      modifiedAt: modifiedAt.getTime(),
    });
  }
}

const PROGRAM_DIRECTORIES: readonly string[] = ["/bin", "/usr/bin"];

const PROGRAM_STATUS: FsStat = {
  isFile: true,
  isDirectory: false,
  isSymbolicLink: false,
  mode: 0o755,
  size: 0,
  mtime: new Date(0),
};

/** The name of a program's file; undefined: no program's file is at this path. */
export function programName(path: string): string | undefined {
  if (!PROGRAM_DIRECTORIES.includes(parentOf(path))) return undefined;
  return path.slice(path.lastIndexOf("/") + 1);
}

function toFsStat({ type, mode, size, modifiedAt, inode }: FileStatus): FsStat {
  return {
    isFile: type === "file",
    isDirectory: type === "directory",
    isSymbolicLink: type === "symlink",
    mode,
    size,
    mtime: new Date(modifiedAt),
    ino: inode,
  };
}

/** Commands that run an executable file in a shell of its own. */
function executableStub(path: string): string {
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  const routes = `>&${DESCRIPTORS.stdout} 2>&${DESCRIPTORS.stderr}`;
  const command = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.script} ${quoted} "$@" ${routes}`;
  return `if [[ -n \${${VARIABLES.liveInput}-} ]]; then ${command} <${DEVICES.input}; else ${command}; fi`;
}
