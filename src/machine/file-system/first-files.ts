import { credentialsOf, KERNEL_USER, ROOT, ROOT_USER } from "../users.ts";
import type { AttributeOperations } from "./attribute-operations.ts";
import type { ContentOperations } from "./content-operations.ts";
import type { NameOperations } from "./name-operations.ts";

const DIRECTORY_MODE = 0o755;
const SHARED_MODE = 0o1777;

/** Directories of a new machine, with the ones above first. Without a mode: 0o755. */
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
  { path: KERNEL_USER.home },
];

/** What it is made with. */
interface Operations {
  names: NameOperations;
  contents: ContentOperations;
  attributes: AttributeOperations;
}

const USERS = [ROOT_USER, KERNEL_USER];

/** The machine's name for itself. */
export const MACHINE_NAME = "berth";

const FILES: readonly { path: string; lines: string[] }[] = [
  {
    path: "/etc/passwd",
    lines: USERS.map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash`),
  },
  { path: "/etc/group", lines: USERS.map(({ name, gid }) => `${name}:x:${gid}:`) },
  { path: "/etc/hostname", lines: [MACHINE_NAME] },
];

/** Makes what a new machine begins with, in a root directory without anything. */
export function makeFirstFiles({ names, contents, attributes }: Operations): void {
  for (const { path, mode = DIRECTORY_MODE } of DIRECTORIES) {
    names.makeDirectory(path, ROOT, mode);
    attributes.changeMode(path, ROOT, mode);
  }
  const { uid, gid, home } = KERNEL_USER;
  attributes.changeOwner(home, ROOT, { uid, gid }, true);
  names.makeDirectory(`${home}/Downloads`, credentialsOf(KERNEL_USER), DIRECTORY_MODE);
  const encoder = new TextEncoder();
  for (const { path, lines } of FILES) {
    contents.writeAll(path, encoder.encode(`${lines.join("\n")}\n`), ROOT, { mode: 0o644 });
  }
}
