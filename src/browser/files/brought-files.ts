import type { BrowserDisk } from "./browser-disk.ts";
import { toSavedName } from "./saved-name.ts";
import type { SessionFiles } from "./session-files.ts";

export interface BroughtFile {
  /** Path on the browser's disk. */
  path: string;
  /** Name in the session; the browser's disk may need another. */
  name: string;
}

export class FileNotFoundError extends Error {
  override readonly name = "FileNotFoundError";
}

/**
 * Copies session files to the browser's disk one by one. They stay for the browser's lifetime, because a page
 * may read them at any time.
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

export function nameOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}
