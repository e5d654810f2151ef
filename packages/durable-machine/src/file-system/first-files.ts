import { credentialsOf, ROOT, ROOT_USER, type Users } from "../users.ts";
import type { FileSystem } from "./file-system.ts";

const DIRECTORY_MODE = 0o755;
const SHARED_MODE = 0o1777;

/** Directories of a new machine, parents first. Without a mode: 0o755. */
const DIRECTORIES: readonly { path: string; mode?: number }[] = [
  { path: "/bin" },
  { path: "/dev" },
  { path: "/etc" },
  { path: "/home" },
  { path: "/root", mode: 0o700 },
  { path: "/tmp", mode: SHARED_MODE },
  { path: "/usr" },
  { path: "/usr/bin" },
  { path: "/usr/local" },
  { path: "/usr/local/bin" },
  { path: "/var" },
  { path: "/var/tmp", mode: SHARED_MODE },
];

/** What a machine is called, and who its users are. */
export interface MachineIdentity {
  /** The host name. */
  name: string;
  users: Users;
}

/** Makes the files of a new machine in an empty root directory. */
export function makeFirstFiles(files: FileSystem, { name, users }: MachineIdentity): void {
  for (const { path, mode = DIRECTORY_MODE } of DIRECTORIES) {
    files.makeDirectory(path, ROOT);
    files.changeMode(path, ROOT, mode);
  }
  for (const user of users.all) {
    if (user.uid === ROOT_USER.uid) continue;
    files.makeDirectory(user.home, ROOT, { mode: DIRECTORY_MODE });
    files.changeOwner(user.home, ROOT, { uid: user.uid, gid: user.gid });
    files.makeDirectory(`${user.home}/Downloads`, credentialsOf(user), { mode: DIRECTORY_MODE });
  }
  const writeLines = (path: string, lines: string[]) =>
    files.writeAll(path, new TextEncoder().encode(`${lines.join("\n")}\n`), ROOT, { mode: 0o644 });
  writeLines(
    "/etc/passwd",
    users.all.map((user) => `${user.name}:x:${user.uid}:${user.gid}:${user.name}:${user.home}:/bin/bash`),
  );
  writeLines(
    "/etc/group",
    users.all.map((user) => `${user.name}:x:${user.gid}:`),
  );
  writeLines("/etc/hostname", [name]);
}
