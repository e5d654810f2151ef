export interface Credentials {
  uid: number;
  gid: number;
  umask: number;
}

/** A user with a group of the same name. */
export interface User {
  name: string;
  uid: number;
  gid: number;
  /** Absolute. */
  home: string;
}

const UMASK = 0o022;

/** The next number stands for "no id". */
export const MAX_ID = 2 ** 32 - 2;

export const ROOT_USER: User = { name: "root", uid: 0, gid: 0, home: "/root" };

export const ROOT: Credentials = credentialsOf(ROOT_USER);

export function credentialsOf({ uid, gid }: { uid: number; gid: number }): Credentials {
  return { uid, gid, umask: UMASK };
}

export class Users {
  readonly all: readonly User[];

  constructor(others: readonly User[]) {
    this.all = [ROOT_USER, ...others];
  }

  find(nameOrId: string): User | undefined {
    return this.all.find(({ name, uid }) => name === nameOrId || String(uid) === nameOrId);
  }

  findGroup(nameOrId: string): number | undefined {
    return this.all.find(({ name, gid }) => name === nameOrId || String(gid) === nameOrId)?.gid;
  }

  /** The name of an id, or the id in digits if it has none. */
  userName(uid: number): string {
    return this.all.find((user) => user.uid === uid)?.name ?? String(uid);
  }

  groupName(gid: number): string {
    return this.all.find((user) => user.gid === gid)?.name ?? String(gid);
  }
}
