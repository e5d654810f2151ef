import { type FSWatcher, lstatSync, readdirSync, type Stats, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { FileChange } from "durable-machine";

/** More would take the memory of the machine. */
const MAX_DIRECTORIES = 20_000;

interface Entry {
  inode: number;
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
  /** Paths that have just disappeared, by inode: they may appear under a new name. */
  readonly #vanished = new Map<number, { path: string; isDirectory: boolean }>();
  readonly #device: number;

  /** @param root without a slash at the end; empty for the root directory. @throws ENOENT */
  constructor(root: string, report: (change: FileChange) => void) {
    this.#root = root;
    this.#report = report;
    this.#device = statSync(root || "/").dev;
    this.#add(root, undefined);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Reports the write of a file that has been put in its place by renaming. */
  reportWrite(path: string): void {
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) return;
    this.#look(path, "rename");
    this.#report({ type: "write", path, isDirectory: false });
  }

  /** @param status of a new entry, which is reported, as are those below it. */
  #add(path: string, status: Stats | undefined): void {
    const found = status ?? lookUp(path || "/");
    if (found === undefined) return;
    const isDirectory = found.isDirectory();
    this.#known.set(path, { inode: found.ino, isDirectory });
    if (status !== undefined) this.#report({ type: "create", path, isDirectory });
    const isWatched = path === this.#root || (isDirectory && found.dev === this.#device);
    if (!isWatched || this.#watchers.size >= MAX_DIRECTORIES) return;
    const watcher = watch(path || "/", (type, name) =>
      this.#look(isDirectory && name !== null ? join(path || "/", name) : path, type),
    );
    watcher.on("error", () => this.#forget(path));
    this.#watchers.set(path, watcher);
    if (!isDirectory) return;
    for (const name of readdirSync(path || "/")) {
      const below = join(path || "/", name);
      this.#add(below, status && lookUp(below));
    }
  }

  #look(path: string, type: "rename" | "change"): void {
    const status = lookUp(path);
    const known = this.#known.get(path);
    if (status === undefined) {
      if (known !== undefined) this.#vanish(path, known);
    } else if (known?.inode === status.ino) {
      if (type === "change" && !known.isDirectory) this.#report({ type: "write", path, isDirectory: false });
    } else {
      const former = this.#vanished.get(status.ino);
      this.#vanished.delete(status.ino);
      if (former !== undefined) this.#report({ type: "rename", ...former });
      const isReplaced = known !== undefined && former === undefined && !status.isDirectory();
      this.#forget(path);
      if (isReplaced) this.#known.set(path, { inode: status.ino, isDirectory: false });
      else this.#add(path, status);
    }
  }

  #vanish(path: string, { inode, isDirectory }: Entry): void {
    this.#forget(path);
    this.#vanished.set(inode, { path, isDirectory });
    // The kernel tells both names of a renamed file at once.
    setImmediate(() => {
      if (this.#vanished.delete(inode)) this.#report({ type: "delete", path, isDirectory });
    });
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

function lookUp(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
