import { accessSync, constants, mkdirSync, statfsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, TOOL_FOLDER } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";

const MEBIBYTE = 1024 * 1024;

/** For the copy of the build and the first data. */
const MIN_FREE_MEBIBYTES = 100;

export type StateDirectory = ReturnType<typeof openStateDirectory>;

/** @throws SetUpError when it cannot be created. */
export function openStateDirectory(environment: NodeJS.ProcessEnv) {
  const chosen = environment.BERTH_STATE_DIRECTORY;
  const path = chosen ? resolve(ROOT, chosen) : join(TOOL_FOLDER, "local");
  refuseUnwritable(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
  return {
    path,
    /** D1, R2 and Durable Object storage. */
    data: join(path, "data"),
    /** The part of `data` that the runtime writes. */
    persistence: join(path, "data", "v3"),
    /** A copy of the build, recreated by each start. */
    snapshot: join(path, "snapshot"),
    apiKeyFile: join(path, "api-key"),
    lockFile: join(path, "service.json"),
  };
}

/** @throws SetUpError when a service cannot store its data there. */
export function requireWritable(path: string): void {
  refuseUnwritable(path, () => accessSync(path, constants.W_OK));
  requireSpace(path, freeBytesOf(path));
}

/** What the user may still store on the disk of a folder. */
export function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** @throws SetUpError when the disk is full or nearly so. */
export function requireSpace(path: string, freeBytes: number): void {
  const free = Math.floor(freeBytes / MEBIBYTE);
  if (free >= MIN_FREE_MEBIBYTES) return;
  throw new SetUpError(
    `The disk of the state folder ${path} has ${free} MiB left, and Berth needs ${MIN_FREE_MEBIBYTES} MiB; free some, or set BERTH_STATE_DIRECTORY to another folder.`,
  );
}

function refuseUnwritable(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new SetUpError(
      `Cannot write to the state folder ${path} (${code}); make it writable, or set BERTH_STATE_DIRECTORY to another folder.`,
    );
  }
}
