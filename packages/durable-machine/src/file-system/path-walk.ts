import type { Credentials } from "../users.ts";
import { type Inode, type Inodes, ROOT_INODE } from "./inodes.ts";
import { joinPath, parsePath, requireName } from "./path.ts";
import { EXECUTE, permits } from "./permissions.ts";
import { Refusal } from "./refusal.ts";

/** As many symlinks Linux follows in a path. */
const MOST_SYMLINKS = 40;

/** Names that the symlinks of a path may add to it. Linux has no such limit; here it bounds the time. */
const MOST_NAMES_OF_SYMLINKS = 8192;

/** Where a path leads. */
export interface Place {
  /** What the path ends in; "root": in nothing but slashes. */
  last: "name" | "dot" | "dotdot" | "root";
  name: string;
  /** What is there; undefined: nothing. */
  inode: Inode | undefined;
  /** The directory that holds the name; for other endings the place itself. */
  directory: Inode;
  /** The numbers of the directories from the root to that one. */
  lineage: number[];
  hasTrailingSlash: boolean;
  /** Without symlinks, `.` and `..`, but for a symlink at its end that was not followed. */
  path: string;
}

export interface WalkOptions {
  /** Whether a symlink at the end is followed. */
  followLast: boolean;
  /** Whether a file may be made: a path of one has no slash behind it. */
  isMakingFile?: boolean;
  /** Makes a directory that is missing on the way, or at the end; not asked for what only a symlink names. */
  makeDirectory?: (place: Place, isLast: boolean) => Inode;
}

/** Finds what paths name. */
export class PathWalk {
  readonly #inodes: Inodes;

  constructor(inodes: Inodes) {
    this.#inodes = inodes;
  }

  /**
   * What a path names.
   *
   * @throws Refusal ENOENT where nothing is, and what `walk` does.
   */
  find(path: string, credentials: Credentials, followLast: boolean): Place & { inode: Inode } {
    const place = this.walk(path, credentials, { followLast: followLast || path.endsWith("/") });
    const { inode } = place;
    requireName(place.name);
    if (inode === undefined) throw new Refusal("ENOENT");
    if (place.hasTrailingSlash && inode.type !== "directory") throw new Refusal("ENOTDIR");
    return { ...place, inode };
  }

  /**
   * Follows a path to its last name, which may name nothing yet. `..` goes where the directory really is, as on
   * Linux, and not where the path came from. A last name that is not followed may be too long to be one: Linux looks
   * at it only after it has gone the ways of all paths of a call.
   *
   * @throws Refusal EACCES, EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR
   */
  walk(path: string, credentials: Credentials, options: WalkOptions): Place {
    return new Walk(this.#inodes, path, credentials, options).run();
  }
}

/** One way through the directories. */
class Walk {
  readonly #inodes: Inodes;
  readonly #credentials: Credentials;
  readonly #options: WalkOptions;
  /** The directories gone through, with their names; never empty, as the root's parent is the root. */
  readonly #steps: [{ name: string; inode: Inode }, ...{ name: string; inode: Inode }[]];
  /** The names to go, the next at the end. Those of symlinks come behind those of the path itself. */
  readonly #pending: string[];
  #ownNames: number;
  #hasTrailingSlash: boolean;
  #symlinks = 0;
  #namesOfSymlinks = 0;

  constructor(inodes: Inodes, path: string, credentials: Credentials, options: WalkOptions) {
    const { names, hasTrailingSlash } = parsePath(path);
    const root = inodes.get(ROOT_INODE);
    if (root === undefined) throw new Refusal("EIO");
    this.#inodes = inodes;
    this.#credentials = credentials;
    this.#options = options;
    this.#steps = [{ name: "", inode: root }];
    this.#pending = names.reverse();
    this.#ownNames = names.length;
    this.#hasTrailingSlash = hasTrailingSlash;
  }

  run(): Place {
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) {
      if (!permits(this.#directory, this.#credentials, EXECUTE)) throw new Refusal("EACCES");
      const place = name === "." || name === ".." ? this.#goByDots(name) : this.#goByName(name);
      if (place !== undefined) return place;
    }
    return this.#place("root");
  }

  /** @returns the place, where the path ends in it. */
  #goByDots(name: "." | ".."): Place | undefined {
    if (name === ".." && this.#steps.length > 1) this.#steps.pop();
    if (this.#pending.length > 0) return undefined;
    return this.#place(name === "." ? "dot" : "dotdot");
  }

  /** @returns the place, where the path ends in it. */
  #goByName(name: string): Place | undefined {
    const isLast = this.#pending.length === 0;
    const isOwn = this.#pending.length < this.#ownNames;
    if (isOwn) this.#ownNames = this.#pending.length;
    if (isLast && this.#hasTrailingSlash && this.#options.isMakingFile) throw new Refusal("EISDIR");
    if (!isLast || this.#options.followLast) requireName(name);

    const inode = this.#inodes.lookUp(this.#directory.inode, name) ?? this.#make(name, { isLast, isOwn });
    if (inode?.type === "symlink" && (!isLast || this.#options.followLast)) {
      this.#follow(inode.target);
      return undefined;
    }
    if (isLast) return this.#place("name", name, inode);
    // Where directories are made, nothing is missing but what a symlink names, and the symlink is in the way.
    if (inode === undefined) throw new Refusal(this.#options.makeDirectory ? "EEXIST" : "ENOENT");
    if (inode.type !== "directory") throw new Refusal("ENOTDIR");
    this.#steps.push({ name, inode });
    return undefined;
  }

  #make(name: string, { isLast, isOwn }: { isLast: boolean; isOwn: boolean }): Inode | undefined {
    const { makeDirectory } = this.#options;
    return isOwn ? makeDirectory?.(this.#place("name", name), isLast) : undefined;
  }

  #follow(target: string): void {
    const { names, isAbsolute, hasTrailingSlash } = parsePath(target);
    this.#symlinks += 1;
    this.#namesOfSymlinks += names.length;
    if (this.#symlinks > MOST_SYMLINKS || this.#namesOfSymlinks > MOST_NAMES_OF_SYMLINKS) {
      throw new Refusal("ELOOP");
    }
    if (isAbsolute) this.#steps.length = 1;
    if (this.#pending.length === 0) this.#hasTrailingSlash ||= hasTrailingSlash;
    this.#pending.push(...names.reverse());
  }

  get #directory(): Inode {
    return (this.#steps.at(-1) ?? this.#steps[0]).inode;
  }

  #place(last: "root" | "dot" | "dotdot"): Place;
  #place(last: "name", name: string, inode?: Inode): Place;
  #place(last: Place["last"], name?: string, inode?: Inode): Place {
    const directory = this.#directory;
    const names = this.#steps.slice(1).map((step) => step.name);
    return {
      last,
      name: name ?? names.at(-1) ?? "",
      inode: last === "name" ? inode : directory,
      directory,
      lineage: this.#steps.map((step) => step.inode.inode),
      hasTrailingSlash: this.#hasTrailingSlash,
      path: joinPath(name === undefined ? names : [...names, name]),
    };
  }
}
