import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type FSWatcher, type Stats, statSync, watch } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  type FileChange,
  type FileStatus,
  type Machine,
  type MachineFiles,
  type MachineProcess,
  type MachineProcesses,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  StartError,
} from "durable-machine";

const SIGNALS = { SIGTERM: "TERM", SIGKILL: "KILL", SIGINT: "INT", SIGHUP: "HUP" } as const;

const PATH = "/usr/local/bin:/usr/bin:/bin";

/** A machine on the files and processes of the host. Its root directory is a host directory. */
export class NodeMachine implements Machine {
  readonly files: NodeFiles;
  readonly processes: NodeProcesses;

  /** @param root an existing directory. */
  constructor(root: string) {
    this.files = new NodeFiles(root);
    this.processes = new NodeProcesses(root);
  }

  async open(): Promise<void> {
    for (const path of ["/tmp", "/root", "/home/kernel"])
      await this.files.makeDirectory(path, { parents: true });
  }

  async close(): Promise<void> {
    this.files.close();
    await this.processes.close();
  }
}

class NodeFiles implements MachineFiles {
  readonly root: string;
  readonly #watchers = new Set<FSWatcher>();

  constructor(root: string) {
    this.root = root;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  async status(path: string, { followSymlink = true }: { followSymlink?: boolean } = {}) {
    return toStatus(await (followSymlink ? fs.stat : fs.lstat)(this.#pathOf(path)));
  }

  async list(path: string) {
    const names = await fs.readdir(this.#pathOf(path));
    const sorted = names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    return await Promise.all(
      sorted.map(async (name) => ({ name, ...toStatus(await fs.lstat(join(this.#pathOf(path), name))) })),
    );
  }

  async resolve(path: string) {
    return (await fs.realpath(this.#pathOf(path))).slice(this.root.length) || "/";
  }

  readSymlink(path: string) {
    return fs.readlink(this.#pathOf(path));
  }

  async read(path: string) {
    const file = await fs.open(this.#pathOf(path));
    const status = await file.stat();
    if (status.isDirectory()) {
      await file.close();
      throw systemError("EISDIR", "illegal operation on a directory", path);
    }
    const body = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
    return { size: status.size, body };
  }

  async readRange(path: string, offset: number, length: number) {
    await using file = await fs.open(this.#pathOf(path));
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async writeSmall(path: string, bytes: Uint8Array, options: { mode: number; modifiedAt: number }) {
    await this.write(path, new Blob([new Uint8Array(bytes)]).stream(), { parents: true });
    await this.changeMode(path, options.mode);
    await this.setTimes(path, { accessedAt: Date.now(), modifiedAt: options.modifiedAt });
  }

  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    { mode = 0o666, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    const target = this.#pathOf(path);
    if (path.endsWith("/")) throw systemError("EISDIR", "illegal operation on a directory", path);
    if (parents) await this.makeDirectory(dirname(path), { mode: 0o755, parents });
    const existing = await fs.stat(target).catch(() => undefined);
    if (existing?.isDirectory()) throw systemError("EISDIR", "illegal operation on a directory", path);
    const temporary = join(this.root, "tmp", crypto.randomUUID());
    try {
      await pipeline(Readable.from(body), createWriteStream(temporary, { mode }));
      // A copy, unlike a rename, follows symlinks and preserves hard links.
      await fs.copyFile(temporary, target);
      if (existing !== undefined) await fs.chmod(target, existing.mode & 0o7777);
    } finally {
      await fs.rm(temporary, { force: true });
    }
  }

  async makeDirectory(
    path: string,
    { mode = 0o777, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    if (!parents) return await fs.mkdir(this.#pathOf(path), { mode });
    const names = path.split("/").filter((name) => name !== "");
    for (const index of names.keys()) {
      const target = this.#pathOf(`/${names.slice(0, index + 1).join("/")}`);
      try {
        await fs.mkdir(target, { mode });
      } catch (error) {
        const existing = await fs.stat(target).catch(() => undefined);
        if (existing?.isDirectory()) continue;
        if (existing === undefined || index === names.length - 1) throw error;
        throw systemError("ENOTDIR", "not a directory", path);
      }
    }
  }

  async rename(source: string, destination: string, { replace = true }: { replace?: boolean } = {}) {
    if (replace) return await fs.rename(this.#pathOf(source), this.#pathOf(destination));
    await fs.link(this.#pathOf(source), this.#pathOf(destination));
    await fs.unlink(this.#pathOf(source));
  }

  async place(moves: readonly { source: string; destination: string }[]) {
    for (const { destination } of moves) {
      const existing = await fs.stat(this.#pathOf(destination)).catch(() => undefined);
      if (existing?.isDirectory())
        throw systemError("EISDIR", "illegal operation on a directory", destination);
      await fs.mkdir(dirname(this.#pathOf(destination)), { recursive: true });
    }
    for (const { source, destination } of moves) {
      const target = await fs.realpath(this.#pathOf(destination)).catch(() => this.#pathOf(destination));
      const existing = await fs.stat(target).catch(() => undefined);
      if (existing !== undefined) await fs.chmod(this.#pathOf(source), existing.mode & 0o7777);
      await fs.rename(this.#pathOf(source), target);
    }
  }

  link(existing: string, path: string) {
    return fs.link(this.#pathOf(existing), this.#pathOf(path));
  }

  symlink(target: string, path: string) {
    return fs.symlink(target, this.#pathOf(path));
  }

  async unlink(path: string) {
    const { type } = await this.status(path, { followSymlink: false });
    if (type === "directory") throw systemError("EISDIR", "illegal operation on a directory", path);
    await fs.unlink(this.#pathOf(path));
  }

  async removeTree(path: string) {
    await fs.rm(this.#pathOf(path), { recursive: true });
  }

  changeMode(path: string, mode: number) {
    return fs.chmod(this.#pathOf(path), mode);
  }

  async changeOwner(path: string, { uid, gid }: { uid?: number; gid?: number }) {
    const existing = await fs.stat(this.#pathOf(path));
    await fs.chown(this.#pathOf(path), uid ?? existing.uid, gid ?? existing.gid);
  }

  setTimes(path: string, { accessedAt, modifiedAt }: { accessedAt: number; modifiedAt: number }) {
    return fs.utimes(this.#pathOf(path), accessedAt / 1000, modifiedAt / 1000);
  }

  async usage() {
    const { blocks, bfree, bavail, bsize } = await fs.statfs(this.root);
    return { usedBytes: (blocks - bfree) * bsize, quotaBytes: (blocks - bfree + bavail) * bsize };
  }

  async watch(path: string, listener: (change: FileChange) => void) {
    const known = new Set<string>();
    const watcher = watch(this.#pathOf(path), { recursive: true }, (_, name) => {
      if (name === null) return;
      const file = join(path, name);
      const status = statSync(this.#pathOf(file), { throwIfNoEntry: false });
      const type = status === undefined ? "delete" : known.has(file) ? "write" : "create";
      if (status === undefined) known.delete(file);
      else known.add(file);
      listener({ type, path: file, isDirectory: status?.isDirectory() ?? false });
    });
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      watcher.close();
    };
  }

  #pathOf(path: string): string {
    if (path.includes("\0")) throw systemError("EINVAL", "invalid argument", path);
    // `join` would resolve `..`, which is another directory after a symlink.
    return this.root + path;
  }
}

class NodeProcesses implements MachineProcesses {
  readonly #root: string;
  readonly #running = new Set<ChildProcess>();

  constructor(root: string) {
    this.#root = root;
  }

  async start(request: ProcessRequest, { onOutput }: ProcessListeners): Promise<MachineProcess> {
    const { argv, directory, environment, user, takesInput } = request;
    const cwd = join(this.#root, directory);
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new StartError(`${directory}: no such file or directory`, "no_such_directory");
    }
    const [program, ...args] = argv;
    const child = spawn(program, args, {
      cwd,
      env: { PATH, HOME: user.home, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      // A process group, so that children are killed with it.
      detached: true,
    });
    const ended = Promise.all([
      forward(child.stdout, (bytes) => onOutput("stdout", bytes)),
      forward(child.stderr, (bytes) => onOutput("stderr", bytes)),
      once(child, "close"),
    ]).then(([, , [code, signal]]) => endOf(code, signal));
    ended.catch(() => undefined);
    try {
      await once(child, "spawn");
    } catch (error) {
      throw toStartError(program, error);
    }
    this.#running.add(child);
    void ended.finally(() => this.#running.delete(child));
    child.stdin.on("error", () => undefined);
    if (!takesInput) child.stdin.end();
    return {
      pid: child.pid ?? 0,
      ended,
      write: async (bytes) => {
        const isOpen = child.stdin.writable;
        if (isOpen) child.stdin.write(bytes);
        return isOpen;
      },
      kill: async (signal) => killGroup(child, `SIG${signal}`),
    };
  }

  async close(): Promise<void> {
    const running = [...this.#running];
    for (const child of running) killGroup(child, "SIGKILL");
    await Promise.all(running.map((child) => (child.exitCode === null ? once(child, "close") : undefined)));
  }
}

async function forward(output: Readable, write: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
  for await (const bytes of output) await write(bytes);
}

function endOf(code: unknown, signal: unknown): ProcessEnd {
  if (typeof code === "number") return { by: "exit", code };
  const known = Object.entries(SIGNALS).find(([name]) => name === signal)?.[1];
  return { by: "signal", signal: known ?? "KILL" };
}

function killGroup({ pid }: ChildProcess, signal: "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function toStartError(program: string, cause: unknown): StartError {
  const isForbidden = cause instanceof Error && "code" in cause && cause.code === "EACCES";
  return isForbidden
    ? new StartError(`${program}: permission denied`, "command_not_executable", { cause })
    : new StartError(`${program}: not found`, "command_not_found", { cause });
}

function toStatus(status: Stats): FileStatus {
  return {
    inode: status.ino,
    type: status.isDirectory() ? "directory" : status.isSymbolicLink() ? "symlink" : "file",
    mode: status.mode & 0o7777,
    uid: status.uid,
    gid: status.gid,
    links: status.nlink,
    size: status.size,
    accessedAt: Math.floor(status.atimeMs),
    modifiedAt: Math.floor(status.mtimeMs),
    changedAt: Math.floor(status.ctimeMs),
  };
}

function systemError(code: string, message: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${message}, '${path}'`), { code });
}
