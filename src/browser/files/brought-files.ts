import type { BrowserDisk } from "./browser-disk.ts";
import { toSavedName } from "./saved-name.ts";
import type { SessionFiles } from "./session-files.ts";

/** A file of the session that was brought to the browser's disk. */
export interface BroughtFile {
  /** On the browser's disk. */
  path: string;
  /** Its name in the session, which it may not have on the disk. */
  name: string;
}

/** A path leads to no file of the session. */
export class FileNotFoundError extends Error {
  override readonly name = "FileNotFoundError";
}

/**
 * Brings files of the session to the browser's disk, one after the other. They stay there as long as the browser:
 * a page may read them at any time.
 *
 * @throws FileNotFoundError
 */
export async function bringFiles(
  disk: Pick<BrowserDisk, "write">,
  files: SessionFiles,
  paths: string[],
): Promise<BroughtFile[]> {
  const brought: BroughtFile[] = [];
  for (const path of paths) {
    const content = path.startsWith("/") ? await files.read(path) : undefined;
    if (content === undefined) throw new FileNotFoundError(`File not found: ${path}`);
    const name = nameOf(path);
    brought.push({ path: await disk.write(toSavedName(name), content.body), name });
  }
  return brought;
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}
