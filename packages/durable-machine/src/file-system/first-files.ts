import { credentialsOf, ROOT, ROOT_USER, type Users } from "../users.ts";
import type { FileSystem } from "./file-system.ts";

export interface MachineIdentity {
  name: string;
  users: Users;
}

export function makeFirstFiles(files: FileSystem, { name, users }: MachineIdentity): void {
  const paths = ["/bin", "/dev", "/etc", "/home", "/root", "/tmp", "/usr/bin", "/usr/local/bin", "/var/tmp"];
  for (const path of paths) files.makeDirectory(path, ROOT, { parents: true });
  for (const path of ["/tmp", "/var/tmp"]) files.changeMode(path, ROOT, 0o1777);
  files.changeMode("/root", ROOT, 0o700);
  for (const user of users.all) {
    if (user.uid === ROOT_USER.uid) continue;
    files.makeDirectory(user.home, ROOT);
    files.changeOwner(user.home, ROOT, { uid: user.uid, gid: user.gid });
    files.makeDirectory(`${user.home}/Downloads`, credentialsOf(user));
  }
  const write = (path: string, lines: string[]) =>
    files.writeAll(path, new TextEncoder().encode(`${lines.join("\n")}\n`), ROOT, { mode: 0o644 });
  const accounts = users.all.map((user) => {
    return `${user.name}:x:${user.uid}:${user.gid}:${user.name}:${user.home}:/bin/bash`;
  });
  const groups = users.all.map((user) => `${user.name}:x:${user.gid}:`);
  write("/etc/passwd", accounts);
  write("/etc/group", groups);
  write("/etc/hostname", [name]);
}
