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

/** A machine of this computer's own files and processes, whose root directory is a folder. */
export class NodeMachine implements Machine {
  readonly files: NodeFiles;
  readonly processes: NodeProcesses;

  /** @param root exists. */
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
    return toStatus(await (followSymlink ? fs.stat : fs.lstat)(this.#at(path)));
  }

  async list(path: string) {
    const names = await fs.readdir(this.#at(path));
    const sorted = names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    return await Promise.all(
      sorted.map(async (name) => ({ name, ...toStatus(await fs.lstat(join(this.#at(path), name))) })),
    );
  }

  async resolve(path: string) {
    return (await fs.realpath(this.#at(path))).slice(this.root.length) || "/";
  }

  readSymlink(path: string) {
    return fs.readlink(this.#at(path));
  }

  async read(path: string) {
    const file = await fs.open(this.#at(path));
    const status = await file.stat();
    if (status.isDirectory()) {
      await file.close();
      throw refusal("EISDIR", "illegal operation on a directory", path);
    }
    const body = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
    return { size: status.size, body };
  }

  async readRange(path: string, offset: number, length: number) {
    await using file = await fs.open(this.#at(path));
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    { mode = 0o666, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    const place = this.#at(path);
    if (path.endsWith("/")) throw refusal("EISDIR", "illegal operation on a directory", path);
    if (parents) await this.makeDirectory(dirname(path), { mode: 0o755, parents });
    const there = await fs.stat(place).catch(() => undefined);
    if (there?.isDirectory()) throw refusal("EISDIR", "illegal operation on a directory", path);
    const aside = join(this.root, "tmp", crypto.randomUUID());
    try {
      await pipeline(Readable.from(body), createWriteStream(aside, { mode }));
      // Symlinks are followed, and other names of the file keep being names of it.
      await fs.copyFile(aside, place);
      if (there !== undefined) await fs.chmod(place, there.mode & 0o7777);
    } finally {
      await fs.rm(aside, { force: true });
    }
  }

  async makeDirectory(
    path: string,
    { mode = 0o777, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    if (!parents) return await fs.mkdir(this.#at(path), { mode });
    const names = path.split("/").filter((name) => name !== "");
    for (const index of names.keys()) {
      const place = this.#at(`/${names.slice(0, index + 1).join("/")}`);
      try {
        await fs.mkdir(place, { mode });
      } catch (error) {
        const there = await fs.stat(place).catch(() => undefined);
        if (there?.isDirectory()) continue;
        if (there === undefined || index === names.length - 1) throw error;
        throw refusal("ENOTDIR", "not a directory", path);
      }
    }
  }

  async rename(source: string, destination: string, { replace = true }: { replace?: boolean } = {}) {
    if (replace) return await fs.rename(this.#at(source), this.#at(destination));
    await fs.link(this.#at(source), this.#at(destination));
    await fs.unlink(this.#at(source));
  }

  async place(moves: readonly { source: string; destination: string }[]) {
    for (const { destination } of moves) {
      const there = await fs.stat(this.#at(destination)).catch(() => undefined);
      if (there?.isDirectory()) throw refusal("EISDIR", "illegal operation on a directory", destination);
      await fs.mkdir(dirname(this.#at(destination)), { recursive: true });
    }
    for (const { source, destination } of moves) {
      const place = await fs.realpath(this.#at(destination)).catch(() => this.#at(destination));
      const there = await fs.stat(place).catch(() => undefined);
      if (there !== undefined) await fs.chmod(this.#at(source), there.mode & 0o7777);
      await fs.rename(this.#at(source), place);
    }
  }

  link(existing: string, path: string) {
    return fs.link(this.#at(existing), this.#at(path));
  }

  symlink(target: string, path: string) {
    return fs.symlink(target, this.#at(path));
  }

  async unlink(path: string) {
    const { type } = await this.status(path, { followSymlink: false });
    if (type === "directory") throw refusal("EISDIR", "illegal operation on a directory", path);
    await fs.unlink(this.#at(path));
  }

  async removeTree(path: string) {
    await fs.rm(this.#at(path), { recursive: true });
  }

  changeMode(path: string, mode: number) {
    return fs.chmod(this.#at(path), mode);
  }

  async changeOwner(path: string, { uid, gid }: { uid?: number; gid?: number }) {
    const there = await fs.stat(this.#at(path));
    await fs.chown(this.#at(path), uid ?? there.uid, gid ?? there.gid);
  }

  setTimes(path: string, { accessedAt, modifiedAt }: { accessedAt: number; modifiedAt: number }) {
    return fs.utimes(this.#at(path), accessedAt / 1000, modifiedAt / 1000);
  }

  async usage() {
    const { blocks, bfree, bavail, bsize } = await fs.statfs(this.root);
    return { usedBytes: (blocks - bfree) * bsize, quotaBytes: (blocks - bfree + bavail) * bsize };
  }

  async watch(path: string, listener: (change: FileChange) => void) {
    const known = new Set<string>();
    const watcher = watch(this.#at(path), { recursive: true }, (_, name) => {
      if (name === null) return;
      const file = join(path, name);
      const status = statSync(this.#at(file), { throwIfNoEntry: false });
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

  #at(path: string): string {
    if (path.includes("\0")) throw refusal("EINVAL", "invalid argument", path);
    // Not joined: behind a symlink, `..` is another directory.
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
      // A group of its own, so that what it has started is ended with it.
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
    // It has ended by itself.
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

function refusal(code: string, message: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${message}, '${path}'`), { code });
}
