import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";

/** Atomically creates a file only its owner can read. @returns false if it exists, even if made just now. */
export function writeNewFile(path: string, text: string): boolean {
  const temporaryFile = `${path}.${process.pid}`;
  writeFileSync(temporaryFile, text, { mode: 0o600 });
  try {
    linkSync(temporaryFile, path);
    return true;
  } catch (error) {
    if (existsSync(path)) return false;
    throw error;
  } finally {
    rmSync(temporaryFile);
  }
}
