import type { Credentials } from "../users.ts";
import type { FileErrorCode } from "./file-error.ts";
import type { FileStatus } from "./file-system.ts";

export const READ = 4;
export const WRITE = 2;
/** Of a file: to execute it. Of a directory: to go through it. */
export const EXECUTE = 1;

export const SET_UID = 0o4000;
export const SET_GID = 0o2000;
export const STICKY = 0o1000;

const ROOT_UID = 0;
const ANY_EXECUTE = 0o111;
const GROUP_EXECUTE = 0o010;

type Owned = Pick<FileStatus, "type" | "mode" | "uid" | "gid">;

/** Whether all of the rights in `wanted` are held on a file. Root holds all but to execute what nobody may. */
export function permits({ type, mode, uid, gid }: Owned, credentials: Credentials, wanted: number): boolean {
  if (credentials.uid === ROOT_UID) {
    return (wanted & EXECUTE) === 0 || type === "directory" || (mode & ANY_EXECUTE) !== 0;
  }
  const shift = credentials.uid === uid ? 6 : credentials.gid === gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

/** Whether somebody may do what only the owner may. */
export function owns({ uid }: Pick<Owned, "uid">, credentials: Credentials): boolean {
  return credentials.uid === ROOT_UID || credentials.uid === uid;
}

/** Why a name may not be taken out of a directory; undefined: it may. */
export function refusalToRemove(
  directory: Owned,
  file: Owned,
  credentials: Credentials,
): FileErrorCode | undefined {
  if (!permits(directory, credentials, WRITE | EXECUTE)) return "EACCES";
  const isKept = (directory.mode & STICKY) !== 0 && !owns(directory, credentials) && !owns(file, credentials);
  return isKept ? "EPERM" : undefined;
}

/** Only root gives files away; an owner may give one to their own group. */
export function mayChangeOwner(
  file: Owned,
  { uid, gid }: { uid: number; gid: number },
  credentials: Credentials,
): boolean {
  if (credentials.uid === ROOT_UID) return true;
  return owns(file, credentials) && uid === file.uid && (gid === file.gid || gid === credentials.gid);
}

/**
 * Whether somebody may give another name to a file. Who could not write it may not, lest a link keep a set-uid
 * program of somebody else, or one that its owner has deleted.
 */
export function mayLink(file: Owned, credentials: Credentials): boolean {
  if (owns(file, credentials)) return true;
  const isPrivileged =
    (file.mode & SET_UID) !== 0 || (file.mode & (SET_GID | GROUP_EXECUTE)) === (SET_GID | GROUP_EXECUTE);
  return file.type === "file" && !isPrivileged && permits(file, credentials, READ | WRITE);
}

/** Mode and owners of a file that is made in a directory. A set-gid directory hands on its group. */
export function ownershipOfNew(
  directory: Owned,
  file: { type: FileStatus["type"]; mode: number },
  credentials: Credentials,
): Omit<Owned, "type"> {
  const { uid, umask } = credentials;
  const handsOnGroup = (directory.mode & SET_GID) !== 0;
  const gid = handsOnGroup ? directory.gid : credentials.gid;
  switch (file.type) {
    case "symlink":
      return { mode: 0o777, uid, gid };
    case "directory": {
      const mode = file.mode & (0o777 | STICKY) & ~umask;
      return { mode: handsOnGroup ? mode | SET_GID : mode, uid, gid };
    }
    case "file":
      return { mode: modeWithinGroup({ mode: file.mode & 0o7777 & ~umask, gid }, credentials), uid, gid };
  }
}

/** A mode as somebody may set it: set-gid only for the group that they are of. */
export function modeWithinGroup(
  { mode, gid }: { mode: number; gid: number },
  credentials: Credentials,
): number {
  const isMember = credentials.uid === ROOT_UID || credentials.gid === gid;
  return isMember ? mode : mode & ~SET_GID;
}

/** The mode of a file whose content somebody changes: what others write must not run with its owner's rights. */
export function modeAfterWrite(mode: number, credentials: Credentials): number {
  return credentials.uid === ROOT_UID ? mode : modeWithoutPrivileges(mode);
}

/** A mode without what lets a program run with its owner's or group's rights. */
export function modeWithoutPrivileges(mode: number): number {
  const isGroupProgram = (mode & GROUP_EXECUTE) !== 0;
  return mode & ~SET_UID & (isGroupProgram ? ~SET_GID : ~0);
}
