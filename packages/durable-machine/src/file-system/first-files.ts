import { credentialsOf, ROOT, ROOT_USER, type Users } from "../users.ts";
import type { AttributeOperations } from "./attribute-operations.ts";
import type { ContentOperations } from "./content-operations.ts";
import type { NameOperations } from "./name-operations.ts";

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

interface Operations {
  names: NameOperations;
  contents: ContentOperations;
  attributes: AttributeOperations;
}

/** Makes the files of a new machine in an empty root directory. */
export function makeFirstFiles(
  { names, contents, attributes }: Operations,
  { name, users }: MachineIdentity,
): void {
  for (const { path, mode = DIRECTORY_MODE } of DIRECTORIES) {
    names.makeDirectory(path, ROOT, mode);
    attributes.changeMode(path, ROOT, mode);
  }
  for (const user of users.all) {
    if (user.uid === ROOT_USER.uid) continue;
    names.makeDirectory(user.home, ROOT, DIRECTORY_MODE);
    attributes.changeOwner(user.home, ROOT, { uid: user.uid, gid: user.gid }, true);
    names.makeDirectory(`${user.home}/Downloads`, credentialsOf(user), DIRECTORY_MODE);
  }
  const writeLines = (path: string, lines: string[]) =>
    contents.writeAll(path, new TextEncoder().encode(`${lines.join("\n")}\n`), ROOT, { mode: 0o644 });
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
