import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file that only its owner reads, unless there is one; tells whether it did. The file appears whole or
 * not at all, and never in the place of one that another process makes at the same moment.
 */
export function writeNewFile(path: string, text: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (existsSync(path)) return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}
