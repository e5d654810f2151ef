import { type Credentials, MAX_ID, ROOT } from "../users.ts";
import { Refusal, runOperation, toFileError } from "./file-error.ts";
import type { DirectoryEntry, FileStatus, Inode } from "./inodes.ts";
import { checkName, isEntryName, parsePath } from "./path.ts";
import { PathWalk, type Place, type WalkOptions } from "./path-walk.ts";
import {
  allowedMode,
  checkPermission,
  checkRemovable,
  EXECUTE,
  mayChangeOwner,
  mayLink,
  modeWithoutPrivileges,
  ownershipOfNew,
  owns,
  permits,
  READ,
  WRITE,
} from "./permissions.ts";
import type { Reclaimer } from "./reclaimer.ts";
import type { Volume } from "./volume.ts";

const DIRECTORY_MODE = 0o777;

type ExistingPlace = Place & { inode: Inode };

/** The times that ext4 keeps: from December 1901 to May 2446. */
const MIN_TIME = -(2 ** 31) * 1000;
const MAX_TIME = (2 ** 34 - 2 ** 31 - 1) * 1000;

function clampTime(time: number): number {
  if (Number.isNaN(time)) throw new Refusal("EINVAL");
  return Math.min(Math.max(time, MIN_TIME), MAX_TIME);
}

/** Operations on names and attributes. They check in Linux's order, which determines the error thrown. */
export abstract class FileTree {
  protected abstract readonly volume: Volume;
  protected abstract readonly reclaimer: Reclaimer;

  status(
    path: string,
    credentials: Credentials,
    { followSymlink = true }: { followSymlink?: boolean } = {},
  ): FileStatus {
    return runOperation(followSymlink ? "stat" : "lstat", path, () => {
      return statusOf(this.find(path, credentials, followSymlink).inode);
    });
  }

  exists(path: string, credentials: Credentials): boolean {
    return this.permits(path, credentials, 0);
  }

  /** @param wanted the sum of 4 read, 2 write, 1 execute or search. */
  permits(path: string, credentials: Credentials, wanted: number): boolean {
    try {
      return permits(this.find(path, credentials, true).inode, credentials, wanted);
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  list(path: string, credentials: Credentials): DirectoryEntry[] {
    return runOperation("scandir", path, () => {
      const { inode } = this.find(path, credentials, true);
      if (inode.type !== "directory") throw new Refusal("ENOTDIR");
      checkPermission(inode, credentials, READ);
      return this.volume.inodes
        .entries(inode.inode)
        .map((entry) => ({ name: entry.name, ...statusOf(entry) }));
    });
  }

  readSymlink(path: string, credentials: Credentials): string {
    return runOperation("readlink", path, () => {
      const { inode } = this.find(path, credentials, false);
      if (inode.type !== "symlink") throw new Refusal("EINVAL");
      return inode.target;
    });
  }

  resolve(path: string, credentials: Credentials): string {
    return runOperation("realpath", path, () => this.find(path, credentials, true).path);
  }

  makeDirectory(
    path: string,
    credentials: Credentials,
    { mode = DIRECTORY_MODE, parents = false }: { mode?: number; parents?: boolean } = {},
  ): void {
    this.change("mkdir", path, () => {
      if (parents) return this.makeDirectories(path, credentials, mode);
      const place = this.#freePlace(path, credentials, { mayEndInSlash: true });
      this.createAt(place, { type: "directory", mode }, credentials);
    });
  }

  rename(source: string, destination: string, credentials: Credentials): void {
    this.change("rename", source, () => {
      const from = this.walk(source, credentials, { followLast: false });
      const to = this.walk(destination, credentials, { followLast: false });
      if (!isEntryName(from.name) || !isEntryName(to.name)) throw new Refusal("EBUSY");
      const { inode, directory } = existing(from);
      checkName(to.name);
      const replaced = to.inode;
      const isDirectory = inode.type === "directory";
      if (!isDirectory && (from.hasTrailingSlash || to.hasTrailingSlash)) throw new Refusal("ENOTDIR");
      if (to.ancestors.some((ancestor) => ancestor.inode === inode.inode)) throw new Refusal("EINVAL");
      if (from.ancestors.some((ancestor) => ancestor.inode === replaced?.inode))
        throw new Refusal("ENOTEMPTY");
      if (replaced?.inode === inode.inode) return;

      checkRemovable(directory, inode, credentials);
      if (replaced === undefined) checkPermission(to.directory, credentials, WRITE | EXECUTE);
      else this.#checkReplaceable(to.directory, replaced, inode, credentials);
      if (isDirectory && directory.inode !== to.directory.inode) checkPermission(inode, credentials, WRITE);

      if (replaced !== undefined) this.volume.unlink(to.directory.inode, to.name, replaced);
      this.volume.move(from, to, inode);
      this.volume.report("rename", from.path, isDirectory);
      this.volume.report("create", to.path, isDirectory);
    });
  }

  unlink(path: string, credentials: Credentials): void {
    this.change("unlink", path, () => {
      const place = this.walk(path, credentials, { followLast: false });
      if (!isEntryName(place.name)) throw new Refusal("EISDIR");
      const { directory, inode } = existing(place);
      const isDirectory = inode.type === "directory";
      if (place.hasTrailingSlash) throw new Refusal(isDirectory ? "EISDIR" : "ENOTDIR");
      checkRemovable(directory, inode, credentials);
      if (isDirectory) throw new Refusal("EISDIR");
      this.volume.unlink(directory.inode, place.name, inode);
      this.volume.report("delete", place.path, false);
    });
  }

  removeDirectory(path: string, credentials: Credentials): void {
    this.change("rmdir", path, () => {
      const place = this.#removablePlace(path, credentials);
      const { directory, inode } = place;
      checkRemovable(directory, inode, credentials);
      if (inode.type !== "directory") throw new Refusal("ENOTDIR");
      if (!this.volume.inodes.isEmpty(inode.inode)) throw new Refusal("ENOTEMPTY");
      this.volume.unlink(directory.inode, place.name, inode);
      this.volume.report("delete", place.path, true);
    });
  }

  /** Works in steps. */
  async removeTree(path: string, credentials: Credentials): Promise<void> {
    try {
      const place = this.#removablePlace(path, credentials);
      const { inode, directory } = place;
      const removed = { ...place, inode: inode.inode, parent: directory.inode };
      if (inode.type !== "directory") this.unlink(path, credentials);
      else if (credentials.uid === ROOT.uid) await this.#removeDetached(place);
      else await this.reclaimer.removeTree(removed, credentials);
    } catch (error) {
      throw toFileError(error, "rm", path);
    }
    await this.reclaimer.finish();
  }

  link(target: string, path: string, credentials: Credentials): void {
    this.change("link", target, () => {
      const { inode } = this.find(target, credentials, false);
      const place = this.#freePlace(path, credentials, { mayEndInSlash: false });
      if (!mayLink(inode, credentials)) throw new Refusal("EPERM");
      checkPermission(place.directory, credentials, WRITE | EXECUTE);
      if (inode.type === "directory") throw new Refusal("EPERM");
      this.volume.link(place.directory, place.name, inode);
      this.volume.report("create", place.path, false);
    });
  }

  symlink(target: string, path: string, credentials: Credentials): void {
    this.change("symlink", path, () => {
      parsePath(target);
      const place = this.#freePlace(path, credentials, { mayEndInSlash: false });
      this.createAt(place, { type: "symlink", mode: 0o777, target: target.toWellFormed() }, credentials);
    });
  }

  changeMode(path: string, credentials: Credentials, mode: number): void {
    this.change("chmod", path, () => {
      const { inode, gid } = this.#findOwn(path, credentials);
      this.volume.inodes.update(inode, { mode: allowedMode(mode, gid, credentials) });
    });
  }

  changeOwner(
    path: string,
    credentials: Credentials,
    owner: { uid?: number; gid?: number },
    { followSymlink = true }: { followSymlink?: boolean } = {},
  ): void {
    this.change("chown", path, () => {
      const { inode } = this.find(path, credentials, followSymlink);
      const { uid = inode.uid, gid = inode.gid } = owner;
      for (const id of [uid, gid]) checkInteger(id, MAX_ID);
      if (!mayChangeOwner(inode, { uid, gid }, credentials)) throw new Refusal("EPERM");
      const mode = inode.type === "file" ? modeWithoutPrivileges(inode.mode) : inode.mode;
      this.volume.inodes.update(inode.inode, { mode, uid, gid });
    });
  }

  setTimes(path: string, credentials: Credentials, times: { accessedAt: number; modifiedAt: number }): void {
    this.change("utime", path, () => {
      const accessed_at = clampTime(times.accessedAt);
      const modified_at = clampTime(times.modifiedAt);
      const { inode } = this.#findOwn(path, credentials);
      this.volume.inodes.update(inode, { accessed_at, modified_at });
    });
  }

  protected change<T>(operation: string, path: string, work: () => T): T {
    return runOperation(operation, path, () => this.volume.transact(work));
  }

  protected walk(path: string, credentials: Credentials, options: WalkOptions): Place {
    if (this.volume.isClosed) throw new Refusal("EIO");
    return new PathWalk(this.volume.inodes, path, options).run(credentials);
  }

  protected find(path: string, credentials: Credentials, followLast: boolean): ExistingPlace {
    const place = existing(this.walk(path, credentials, { followLast: followLast || path.endsWith("/") }));
    if (place.hasTrailingSlash && place.inode.type !== "directory") throw new Refusal("ENOTDIR");
    return place;
  }

  protected makeDirectories(path: string, credentials: Credentials, mode = DIRECTORY_MODE): void {
    const { inode } = this.walk(path, credentials, {
      followLast: true,
      makeDirectory: (place, isLast) =>
        this.createAt(place, { type: "directory", mode: isLast ? mode : DIRECTORY_MODE }, credentials),
    });
    if (inode?.type !== "directory") throw new Refusal("EEXIST");
  }

  protected createAt(
    place: Place,
    file: { type: Inode["type"]; mode: number; target?: string },
    credentials: Credentials,
  ): Inode {
    checkPermission(place.directory, credentials, WRITE | EXECUTE);
    const ownership = ownershipOfNew(place.directory, file, credentials);
    const inode = this.volume.create(place.directory, place.name, { ...file, ...ownership });
    this.volume.report("create", place.path, file.type === "directory");
    return inode;
  }

  /** Removes a tree from its directory in one step, so that no reader sees half of it, even after a crash. */
  async #removeDetached({ directory, name, inode, path }: ExistingPlace): Promise<void> {
    const release = this.volume.hold(inode);
    try {
      this.volume.transact(() => this.volume.detach(directory.inode, name, inode.inode));
      await this.reclaimer.removeTree({ inode: inode.inode, name, path }, ROOT);
    } finally {
      release();
    }
  }

  #findOwn(path: string, credentials: Credentials): Inode {
    const { inode } = this.find(path, credentials, true);
    if (!owns(inode, credentials)) throw new Refusal("EPERM");
    return inode;
  }

  #freePlace(path: string, credentials: Credentials, { mayEndInSlash }: { mayEndInSlash: boolean }): Place {
    const place = this.walk(path, credentials, { followLast: false });
    if (place.inode !== undefined) throw new Refusal("EEXIST");
    checkName(place.name);
    if (place.hasTrailingSlash && !mayEndInSlash) throw new Refusal("ENOENT");
    return place;
  }

  #removablePlace(path: string, credentials: Credentials): ExistingPlace {
    const place = this.walk(path, credentials, { followLast: false });
    if (place.name === ".") throw new Refusal("EINVAL");
    if (place.name === "..") throw new Refusal("ENOTEMPTY");
    if (place.name === "") throw new Refusal("EBUSY");
    return existing(place);
  }

  #checkReplaceable(directory: Inode, replaced: Inode, by: Inode, credentials: Credentials): void {
    checkRemovable(directory, replaced, credentials);
    const isDirectory = replaced.type === "directory";
    if (by.type === "directory" && !isDirectory) throw new Refusal("ENOTDIR");
    if (by.type !== "directory" && isDirectory) throw new Refusal("EISDIR");
    if (isDirectory && !this.volume.inodes.isEmpty(replaced.inode)) throw new Refusal("ENOTEMPTY");
  }
}

export function checkInteger(value: number, max = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > max) throw new Refusal("EINVAL");
}

function statusOf(found: Inode): FileStatus {
  const { inode, type, mode, uid, gid, links, size, accessedAt, modifiedAt, changedAt } = found;
  return { inode, type, mode, uid, gid, links, size, accessedAt, modifiedAt, changedAt };
}

function existing(place: Place): ExistingPlace {
  const { name, inode } = place;
  checkName(name);
  if (inode === undefined) throw new Refusal("ENOENT");
  return { ...place, inode };
}
