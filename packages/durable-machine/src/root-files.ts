import { FileError } from "./file-system/file-error.ts";
import type { FileChange, FileSystem } from "./file-system/file-system.ts";
import type { MachineFiles } from "./machine.ts";
import { ROOT } from "./users.ts";

/** A file system as root sees it, with the calls of {@link MachineFiles}. */
export class RootFiles implements MachineFiles {
  readonly #files: FileSystem;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  async status(path: string, options?: { followSymlink?: boolean }) {
    return this.#files.status(path, ROOT, options);
  }

  async list(path: string) {
    return this.#files.list(path, ROOT);
  }

  async resolve(path: string) {
    return this.#files.resolve(path, ROOT);
  }

  async readSymlink(path: string) {
    return this.#files.readSymlink(path, ROOT);
  }

  async read(path: string) {
    return this.#files.read(path, ROOT);
  }

  async readRange(path: string, offset: number, length: number) {
    return this.#files.readRange(path, ROOT, offset, length);
  }

  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    options?: { mode?: number; parents?: boolean },
  ): Promise<void> {
    await this.#files.write(path, body, ROOT, options);
  }

  async makeDirectory(path: string, options?: { mode?: number; parents?: boolean }) {
    this.#files.makeDirectory(path, ROOT, options);
  }

  async rename(source: string, destination: string, { replace = true }: { replace?: boolean } = {}) {
    if (!replace && this.#isTaken(destination)) throw new FileError("EEXIST", "rename", destination);
    this.#files.rename(source, destination, ROOT);
  }

  async place(moves: readonly { source: string; destination: string }[]) {
    this.#files.atomically(() => {
      for (const { source, destination } of moves) this.#place(source, destination);
    });
  }

  async link(existing: string, path: string) {
    this.#files.link(existing, path, ROOT);
  }

  async symlink(target: string, path: string) {
    this.#files.symlink(target, path, ROOT);
  }

  async unlink(path: string) {
    this.#files.unlink(path, ROOT);
  }

  async removeTree(path: string) {
    const { type } = this.#files.status(path, ROOT, { followSymlink: false });
    if (type !== "directory") throw new FileError("ENOTDIR", "rm", path);
    await this.#files.removeTree(path, ROOT);
  }

  async changeMode(path: string, mode: number) {
    this.#files.changeMode(path, ROOT, mode);
  }

  async changeOwner(path: string, owner: { uid?: number; gid?: number }) {
    this.#files.changeOwner(path, ROOT, owner);
  }

  async setTimes(path: string, times: { accessedAt: number; modifiedAt: number }) {
    this.#files.setTimes(path, ROOT, times);
  }

  async usage() {
    return this.#files.usage();
  }

  async watch(path: string, listener: (change: FileChange) => void) {
    const root = this.#files.resolve(path, ROOT);
    const prefix = root === "/" ? "/" : `${root}/`;
    return this.#files.watch((change) => {
      if (change.path === root || change.path.startsWith(prefix)) listener(change);
    });
  }

  #place(source: string, destination: string): void {
    if (!this.#files.exists(destination, ROOT)) {
      const parent = destination.slice(0, destination.lastIndexOf("/")) || "/";
      this.#files.makeDirectory(parent, ROOT, { parents: true });
      this.#files.rename(source, destination, ROOT);
      return;
    }
    const path = this.#files.resolve(destination, ROOT);
    const { type, uid, gid, mode } = this.#files.status(path, ROOT);
    if (type === "directory") throw new FileError("EISDIR", "rename", destination);
    this.#files.changeOwner(source, ROOT, { uid, gid });
    this.#files.changeMode(source, ROOT, mode);
    this.#files.rename(source, path, ROOT);
  }

  #isTaken(path: string): boolean {
    try {
      this.#files.status(path, ROOT, { followSymlink: false });
      return true;
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOENT") return false;
      throw error;
    }
  }
}
