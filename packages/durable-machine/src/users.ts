/** Whose rights an operation has. */
export interface Credentials {
  uid: number;
  gid: number;
  /** Permission bits that new files do not get. */
  umask: number;
}

/** Somebody whom the machine knows by name, with a group of the same name. */
export interface User {
  name: string;
  uid: number;
  gid: number;
  /** Absolute. */
  home: string;
}

const UMASK = 0o022;

/** The largest number of a user or group: the next one means nobody. */
export const MAX_ID = 2 ** 32 - 2;

export const ROOT_USER: User = { name: "root", uid: 0, gid: 0, home: "/root" };

/** The rights of the superuser, whom nothing is refused. */
export const ROOT: Credentials = credentialsOf(ROOT_USER);

/** What a user may do. */
export function credentialsOf({ uid, gid }: { uid: number; gid: number }): Credentials {
  return { uid, gid, umask: UMASK };
}

/** The users of a machine: root, and those that the host names. */
export class Users {
  readonly all: readonly User[];

  constructor(others: readonly User[]) {
    this.all = [ROOT_USER, ...others];
  }

  /** The user of a name, or of a number in digits. */
  find(nameOrNumber: string): User | undefined {
    return this.all.find(({ name, uid }) => name === nameOrNumber || String(uid) === nameOrNumber);
  }

  /** The number of a group, by its name or its number in digits. */
  findGroup(nameOrNumber: string): number | undefined {
    return this.all.find(({ name, gid }) => name === nameOrNumber || String(gid) === nameOrNumber)?.gid;
  }

  /** The name of a user's number, or the number where nobody has it. */
  userName(uid: number): string {
    return this.all.find((user) => user.uid === uid)?.name ?? String(uid);
  }

  /** The name of a group's number, or the number where no group has it. */
  groupName(gid: number): string {
    return this.all.find((user) => user.gid === gid)?.name ?? String(gid);
  }
}
