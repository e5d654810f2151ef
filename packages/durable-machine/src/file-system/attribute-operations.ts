import type { Credentials } from "../users.ts";
import type { Inode } from "./inodes.ts";
import type { PathWalk } from "./path-walk.ts";
import { modeWithinGroup, modeWithoutPrivileges, owns } from "./permissions.ts";
import { Refusal } from "./refusal.ts";
import type { Volume } from "./volume.ts";

const ALL_MODE_BITS = 0o7777;

/** The times that ext4 can keep: from December 1901 to May 2446. */
const FIRST_TIME = -(2 ** 31) * 1000;
const LAST_TIME = (2 ** 34 - 2 ** 31 - 1) * 1000;

/** As 32 bits hold them; the last one means none. */
const LARGEST_ID = 2 ** 32 - 2;

/** The operations on modes, owners and times. */
export class AttributeOperations {
  readonly #volume: Volume;
  readonly #paths: PathWalk;

  constructor(volume: Volume, paths: PathWalk) {
    this.#volume = volume;
    this.#paths = paths;
  }

  changeMode(path: string, credentials: Credentials, mode: number): void {
    const inode = this.#findOwn(path, credentials);
    const wanted = { mode: mode & ALL_MODE_BITS, gid: inode.gid };
    this.#volume.inodes.setOwnership(
      { ...inode, mode: modeWithinGroup(wanted, credentials) },
      this.#volume.now,
    );
  }

  changeOwner(
    path: string,
    credentials: Credentials,
    { uid, gid }: { uid?: number; gid?: number },
    followSymlink: boolean,
  ): void {
    requireId(uid);
    requireId(gid);
    const { inode } = this.#paths.find(path, credentials, followSymlink);
    const changed = { ...inode, uid: uid ?? inode.uid, gid: gid ?? inode.gid };
    if (!mayChangeOwner(inode, changed, credentials)) throw new Refusal("EPERM");
    const mode = inode.type === "file" ? modeWithoutPrivileges(inode.mode) : inode.mode;
    this.#volume.inodes.setOwnership({ ...changed, mode }, this.#volume.now);
  }

  setTimes(path: string, credentials: Credentials, times: { accessedAt: number; modifiedAt: number }): void {
    if (!Number.isFinite(times.accessedAt) || !Number.isFinite(times.modifiedAt)) throw new Refusal("EINVAL");
    const { inode } = this.#findOwn(path, credentials);
    const kept = { accessedAt: toKeptTime(times.accessedAt), modifiedAt: toKeptTime(times.modifiedAt) };
    this.#volume.inodes.setTimes(inode, kept, this.#volume.now);
  }

  /** @throws Refusal EPERM unless the file is one's own. */
  #findOwn(path: string, credentials: Credentials): Inode {
    const { inode } = this.#paths.find(path, credentials, true);
    if (!owns(inode, credentials)) throw new Refusal("EPERM");
    return inode;
  }
}

/** A time that is too far away becomes the first or last that can be kept, as on Linux. */
function toKeptTime(at: number): number {
  return Math.min(Math.max(at, FIRST_TIME), LAST_TIME);
}

/** Only root gives files away; an owner may give one to their own group. */
function mayChangeOwner(
  inode: Inode,
  { uid, gid }: { uid: number; gid: number },
  credentials: Credentials,
): boolean {
  if (credentials.uid === 0) return true;
  return owns(inode, credentials) && uid === inode.uid && (gid === inode.gid || gid === credentials.gid);
}

/** @throws Refusal EINVAL unless it can be somebody's number. */
function requireId(id: number | undefined): void {
  if (id === undefined) return;
  if (!Number.isSafeInteger(id) || id < 0 || id > LARGEST_ID) throw new Refusal("EINVAL");
}
