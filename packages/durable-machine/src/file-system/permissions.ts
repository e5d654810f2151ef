import type { Credentials } from "../users.ts";
import { Refusal } from "./file-error.ts";
import type { FileStatus } from "./inodes.ts";

export const READ = 4;
export const WRITE = 2;
export const EXECUTE = 1;

const SET_UID = 0o4000;
const SET_GID = 0o2000;
const STICKY = 0o1000;

const ROOT_UID = 0;
const ANY_EXECUTE = 0o111;
const GROUP_EXECUTE = 0o010;

type Owned = Pick<FileStatus, "type" | "mode" | "uid" | "gid">;

/** Root has all permissions, but executes only what has an execute bit. */
export function permits({ type, mode, uid, gid }: Owned, credentials: Credentials, wanted: number): boolean {
  if (credentials.uid === ROOT_UID) {
    return (wanted & EXECUTE) === 0 || type === "directory" || (mode & ANY_EXECUTE) !== 0;
  }
  const shift = credentials.uid === uid ? 6 : credentials.gid === gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

export function checkPermission(file: Owned, credentials: Credentials, wanted: number): void {
  if (!permits(file, credentials, wanted)) throw new Refusal("EACCES");
}

export function owns({ uid }: Pick<Owned, "uid">, credentials: Credentials): boolean {
  return credentials.uid === ROOT_UID || credentials.uid === uid;
}

export function checkRemovable(directory: Owned, file: Owned, credentials: Credentials): void {
  checkPermission(directory, credentials, WRITE | EXECUTE);
  const isSticky = (directory.mode & STICKY) !== 0;
  if (isSticky && !owns(directory, credentials) && !owns(file, credentials)) throw new Refusal("EPERM");
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

/** As on Linux, no link may keep a set-uid program that its owner deletes. */
export function mayLink(file: Owned, credentials: Credentials): boolean {
  if (owns(file, credentials)) return true;
  const isPrivileged = modeWithoutPrivileges(file.mode) !== file.mode;
  return file.type === "file" && !isPrivileged && permits(file, credentials, READ | WRITE);
}

/** A set-gid directory passes on its group. */
export function ownershipOfNew(
  directory: Owned,
  file: Pick<Owned, "type" | "mode">,
  credentials: Credentials,
): Omit<Owned, "type"> {
  const { uid, umask } = credentials;
  const inherited = directory.mode & SET_GID;
  const gid = inherited !== 0 ? directory.gid : credentials.gid;
  switch (file.type) {
    case "symlink":
      return { mode: 0o777, uid, gid };
    case "directory":
      return { mode: (file.mode & (0o777 | STICKY) & ~umask) | inherited, uid, gid };
    case "file":
      return { mode: allowedMode(file.mode & ~umask, gid, credentials), uid, gid };
  }
}

/** The mode that may be set: only members of a group may set set-gid. */
export function allowedMode(mode: number, gid: number, credentials: Credentials): number {
  const isMember = credentials.uid === ROOT_UID || credentials.gid === gid;
  return mode & (isMember ? 0o7777 : 0o7777 & ~SET_GID);
}

/** Writing clears set-uid and set-gid, so that nobody runs their own code with the owner's rights. */
export function modeAfterWrite(mode: number, credentials: Credentials): number {
  return credentials.uid === ROOT_UID ? mode : modeWithoutPrivileges(mode);
}

export function modeWithoutPrivileges(mode: number): number {
  const isGroupProgram = (mode & GROUP_EXECUTE) !== 0;
  return mode & ~SET_UID & (isGroupProgram ? ~SET_GID : ~0);
}
