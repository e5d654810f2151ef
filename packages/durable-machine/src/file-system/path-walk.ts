import type { Credentials } from "../users.ts";
import { Refusal } from "./file-error.ts";
import { type Inode, type Inodes, ROOT_INODE } from "./inodes.ts";
import { checkName, isEntryName, parsePath } from "./path.ts";
import { checkPermission, EXECUTE } from "./permissions.ts";

const MAX_SYMLINKS = 40;

/** Bounds the time that a path of long symlinks takes. */
const MAX_NAMES_IN_SYMLINKS = 8192;

export interface Place {
  /** The last name. It may be `.` or `..`, or empty if the path has nothing but slashes. */
  name: string;
  inode: Inode | undefined;
  /** The directory that holds the name; for `.`, `..` and the root the place itself. */
  directory: Inode;
  /** From the root to that directory. */
  ancestors: Inode[];
  hasTrailingSlash: boolean;
  /** Without `.`, `..` and symlinks, except for a last one. */
  path: string;
}

export interface WalkOptions {
  followLast: boolean;
  isMakingFile?: boolean;
  /** Creates a missing directory of the path, but not one that only a symlink refers to. */
  makeDirectory?: (place: Place, isLast: boolean) => Inode;
}

/** Follows a path to its last name. The caller checks the length of a last name that is not followed. */
export class PathWalk {
  readonly #inodes: Inodes;
  readonly #options: WalkOptions;
  readonly #root: Inode;
  readonly #steps: { name: string; inode: Inode }[] = [];
  /** The remaining names, the next one last. Those of the path itself come before those of symlinks. */
  readonly #pending: string[];
  #ownNames: number;
  #hasTrailingSlash: boolean;
  #symlinks = 0;
  #namesInSymlinks = 0;

  constructor(inodes: Inodes, path: string, options: WalkOptions) {
    const { names, hasTrailingSlash } = parsePath(path);
    const root = inodes.get(ROOT_INODE);
    if (root === undefined) throw new Refusal("EIO");
    this.#inodes = inodes;
    this.#options = options;
    this.#root = root;
    this.#pending = names.reverse();
    this.#ownNames = names.length;
    this.#hasTrailingSlash = hasTrailingSlash;
  }

  run(credentials: Credentials): Place {
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) {
      checkPermission(this.#directory, credentials, EXECUTE);
      const isLast = this.#pending.length === 0;
      if (name === "." || name === "..") {
        if (name === "..") this.#steps.pop();
        if (isLast) return this.#place(name, this.#directory);
        continue;
      }
      const inode = this.#find(name, isLast);
      if (inode?.type === "symlink" && (!isLast || this.#options.followLast)) this.#follow(inode.target);
      else if (isLast) return this.#place(name, inode);
      else this.#enter(name, inode);
    }
    return this.#place("", this.#root);
  }

  #find(name: string, isLast: boolean): Inode | undefined {
    const { followLast, isMakingFile, makeDirectory } = this.#options;
    const isOwn = this.#pending.length < this.#ownNames;
    if (isOwn) this.#ownNames = this.#pending.length;
    if (isLast && this.#hasTrailingSlash && isMakingFile) throw new Refusal("EISDIR");
    if (!isLast || followLast) checkName(name);
    const inode = this.#inodes.lookUp(this.#directory.inode, name);
    return inode ?? (isOwn ? makeDirectory?.(this.#place(name), isLast) : undefined);
  }

  #enter(name: string, inode: Inode | undefined): void {
    // With `makeDirectory`, only the target of a symlink can be missing, and the symlink is in the way.
    if (inode === undefined) throw new Refusal(this.#options.makeDirectory ? "EEXIST" : "ENOENT");
    if (inode.type !== "directory") throw new Refusal("ENOTDIR");
    this.#steps.push({ name, inode });
  }

  #follow(target: string): void {
    const { names, isAbsolute, hasTrailingSlash } = parsePath(target);
    this.#symlinks += 1;
    this.#namesInSymlinks += names.length;
    if (this.#symlinks > MAX_SYMLINKS || this.#namesInSymlinks > MAX_NAMES_IN_SYMLINKS) {
      throw new Refusal("ELOOP");
    }
    if (isAbsolute) this.#steps.length = 0;
    if (this.#pending.length === 0) this.#hasTrailingSlash ||= hasTrailingSlash;
    this.#pending.push(...names.reverse());
  }

  get #directory(): Inode {
    return this.#steps.at(-1)?.inode ?? this.#root;
  }

  #place(name: string, inode?: Inode): Place {
    const names = this.#steps.map((step) => step.name);
    return {
      name,
      inode,
      directory: this.#directory,
      ancestors: [this.#root, ...this.#steps.map((step) => step.inode)],
      hasTrailingSlash: this.#hasTrailingSlash,
      path: `/${(isEntryName(name) ? [...names, name] : names).join("/")}`,
    };
  }
}
