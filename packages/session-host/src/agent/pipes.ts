import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, mkdtempSync, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

const BATCH = 48;

/** Named pipes that no process uses yet. */
const free: string[] = [];
let folder: string | undefined;

/** One end of a pipe, and the descriptor of the other end, for a child process. */
export interface ChildPipe {
  socket: Socket;
  descriptor: number;
}

/** A pipe that a child process reads. */
export function openInput(): ChildPipe {
  return use((path) => {
    // Opening the one end for both directions keeps the other from waiting, or failing.
    const both = openSync(path, O_RDWR | O_NONBLOCK);
    const descriptor = openSync(path, O_RDONLY);
    const fd = openSync(path, O_WRONLY | O_NONBLOCK);
    closeSync(both);
    return { descriptor, socket: new Socket({ fd, readable: false, writable: true }) };
  });
}

/** A pipe that a child process writes. */
export function openOutput(): ChildPipe {
  return use((path) => {
    const fd = openSync(path, O_RDONLY | O_NONBLOCK);
    const descriptor = openSync(path, O_WRONLY);
    return { descriptor, socket: new Socket({ fd, readable: true, writable: false }) };
  });
}

/**
 * Node gives its children sockets in place of pipes, which cannot be opened as /dev/stdin or /dev/stderr. Node
 * makes no pipes, but it opens named ones.
 */
function use<T>(open: (path: string) => T): T {
  const path = free.pop() ?? create();
  try {
    return open(path);
  } finally {
    unlinkSync(path);
  }
}

function create(): string {
  folder ??= mkdtempSync(join(tmpdir(), ".pipes-"));
  const paths = Array.from({ length: BATCH }, () => join(folder ?? "", randomUUID()));
  // Programs of another user open them by their descriptors; only this user reaches the folder.
  execFileSync("mkfifo", ["-m", "666", ...paths]);
  free.push(...paths.slice(1));
  return paths[0] ?? "";
}
