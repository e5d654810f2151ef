/** Whose rights an operation has. */
export interface Credentials {
  uid: number;
  gid: number;
  /** Permission bits that files made do not get. */
  umask: number;
}

/** Somebody whom the machine knows by name. */
export interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

const UMASK = 0o022;

export const ROOT_USER: User = { name: "root", uid: 0, gid: 0, home: "/root" };
export const KERNEL_USER: User = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

const USERS: readonly User[] = [ROOT_USER, KERNEL_USER];

export const ROOT: Credentials = credentialsOf(ROOT_USER);

/** What a user may do. */
export function credentialsOf({ uid, gid }: { uid: number; gid: number }): Credentials {
  return { uid, gid, umask: UMASK };
}

/** The user of a name, or of a number written out; undefined: nobody is called so. */
export function findUser(nameOrNumber: string): User | undefined {
  return USERS.find(({ name, uid }) => name === nameOrNumber || String(uid) === nameOrNumber);
}

/** The number of a group, by its name or its number written out. Each user has a group of the same name. */
export function findGroup(nameOrNumber: string): number | undefined {
  const user = USERS.find(({ name, gid }) => name === nameOrNumber || String(gid) === nameOrNumber);
  return user?.gid;
}

/** The name of a user's number, or the number itself where nobody has it, as `ls` prints it. */
export function userName(uid: number): string {
  return USERS.find((user) => user.uid === uid)?.name ?? String(uid);
}

/** The name of a group's number, or the number itself. */
export function groupName(gid: number): string {
  return USERS.find((user) => user.gid === gid)?.name ?? String(gid);
}
