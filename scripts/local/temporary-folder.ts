import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "berth-";

/**
 * Creates a folder for the temporary files of one supervised process, including Chrome's profiles. Its path
 * must be short, because Chrome creates sockets in it, and socket paths have at most about 100 characters.
 */
export function makeTemporaryFolder(): string {
  const path = mkdtempSync(join(process.platform === "darwin" ? "/tmp" : tmpdir(), PREFIX));
  // Under root, browsers run as other users, whose profiles are below it.
  if (process.getuid?.() === 0) chmodSync(path, 0o711);
  return path;
}

/** Guards against removing another folder when the path is from a file. */
export function isTemporaryFolder(path: string): boolean {
  return new RegExp(`^${PREFIX}\\w{6}$`).test(basename(path));
}

export function removeTemporaryFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
