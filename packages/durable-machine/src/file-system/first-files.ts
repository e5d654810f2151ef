import { credentialsOf, ROOT, ROOT_USER, type Users } from "../users.ts";
import type { FileSystem } from "./file-system.ts";

const DIRECTORY_MODE = 0o755;

/** The directories of a new machine and their modes, parents first. */
const DIRECTORIES: readonly [path: string, mode: number][] = [
  ["/bin", DIRECTORY_MODE],
  ["/dev", DIRECTORY_MODE],
  ["/etc", DIRECTORY_MODE],
  ["/home", DIRECTORY_MODE],
  ["/root", 0o700],
  ["/tmp", 0o1777],
  ["/usr", DIRECTORY_MODE],
  ["/usr/bin", DIRECTORY_MODE],
  ["/usr/local", DIRECTORY_MODE],
  ["/usr/local/bin", DIRECTORY_MODE],
  ["/var", DIRECTORY_MODE],
  ["/var/tmp", 0o1777],
];

export interface MachineIdentity {
  /** The host name. */
  name: string;
  users: Users;
}

/** Makes the files of a new machine in an empty root directory. */
export function makeFirstFiles(files: FileSystem, { name, users }: MachineIdentity): void {
  for (const [path, mode] of DIRECTORIES) {
    files.makeDirectory(path, ROOT);
    files.changeMode(path, ROOT, mode);
  }
  for (const user of users.all) {
    if (user.uid === ROOT_USER.uid) continue;
    files.makeDirectory(user.home, ROOT, { mode: DIRECTORY_MODE });
    files.changeOwner(user.home, ROOT, { uid: user.uid, gid: user.gid });
    files.makeDirectory(`${user.home}/Downloads`, credentialsOf(user), { mode: DIRECTORY_MODE });
  }
  const write = (path: string, lines: string[]) =>
    files.writeAll(path, new TextEncoder().encode(`${lines.join("\n")}\n`), ROOT, { mode: 0o644 });
  const passwd = users.all.map(
    ({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash`,
  );
  write("/etc/passwd", passwd);
  write(
    "/etc/group",
    users.all.map((user) => `${user.name}:x:${user.gid}:`),
  );
  write("/etc/hostname", [name]);
}
