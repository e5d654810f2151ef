import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "berth-";

/**
 * A folder for the temporary files of one supervised process. Chrome's profiles lie in it, so it also marks the
 * Chromes as ours. It must be short: Chrome binds sockets below it, and a socket's path has about 100 characters.
 */
export function makeTemporaryFolder(): string {
  return mkdtempSync(join(process.platform === "darwin" ? "/tmp" : tmpdir(), PREFIX));
}

/** Whether a path, read from a file that anybody may have changed, is one that may be removed. */
export function isTemporaryFolder(path: string): boolean {
  return new RegExp(`^${PREFIX}\\w{6}$`).test(basename(path));
}

export function removeTemporaryFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
