import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileChange } from "durable-machine";

/** More would take the memory of the machine. */
const MAX_DIRECTORIES = 20_000;

interface Entry {
  isDirectory: boolean;
}

/**
 * Reports changes of a file, or of anything below a directory. Other file systems below it, such as /proc and
 * the programs of the host, are not watched. Symlinks are not followed.
 */
export class TreeWatcher {
  readonly #root: string;
  readonly #report: (change: FileChange) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** By path. */
  readonly #known = new Map<string, Entry>();
  #device = 0;
  #isClosed = false;
  /** Changes are looked at one after another, so that they are reported in order. */
  #work: Promise<void> = Promise.resolve();

  constructor(root: string, report: (change: FileChange) => void) {
    this.#root = root;
    this.#report = report;
  }

  async start(): Promise<void> {
    const { dev } = await stat(this.#root === "" ? "/" : this.#root);
    this.#device = dev;
    await this.#add(this.#root, false);
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #add(path: string, isNew: boolean): Promise<void> {
    const status = await lstat(path === "" ? "/" : path).catch(() => undefined);
    if (status === undefined || this.#isClosed) return;
    const isDirectory = status.isDirectory();
    if (path !== this.#root) {
      const isKnown = this.#known.has(path);
      this.#known.set(path, { isDirectory });
      if (isNew && !isKnown) this.#report({ type: "create", path, isDirectory });
    }
    if (isDirectory && status.dev !== this.#device) return;
    if (!isDirectory && path !== this.#root) return;
    if (this.#watchers.has(path) || this.#watchers.size >= MAX_DIRECTORIES) return;
    const watcher = watch(path === "" ? "/" : path, (type, name) => {
      const changed = isDirectory && name !== null ? join(path, name) : path;
      this.#work = this.#work.then(() => this.#look(changed, type)).catch(() => undefined);
    });
    watcher.on("error", () => this.#forget(path));
    this.#watchers.set(path, watcher);
    if (!isDirectory) return;
    for (const name of await readdir(path === "" ? "/" : path).catch(() => []))
      await this.#add(join(path, name), isNew);
  }

  async #look(path: string, type: "rename" | "change"): Promise<void> {
    const status = await lstat(path).catch(() => undefined);
    if (this.#isClosed) return;
    const known = this.#known.get(path);
    if (status === undefined) {
      if (known === undefined && path !== this.#root) return;
      this.#forget(path);
      this.#report({ type: "delete", path, isDirectory: known?.isDirectory ?? false });
      return;
    }
    if (known === undefined && path !== this.#root) return await this.#add(path, true);
    if (type === "rename" && known?.isDirectory !== status.isDirectory()) {
      this.#forget(path);
      return await this.#add(path, true);
    }
    if (!status.isDirectory()) this.#report({ type: "write", path, isDirectory: false });
  }

  #forget(path: string): void {
    for (const paths of [this.#watchers, this.#known]) {
      for (const known of [...paths.keys()]) {
        if (known !== path && !known.startsWith(`${path}/`)) continue;
        this.#watchers.get(known)?.close();
        paths.delete(known);
      }
    }
  }
}
