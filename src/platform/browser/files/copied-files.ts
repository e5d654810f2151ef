import type { BrowserDisk } from "./browser-disk.ts";
import { toSavedName } from "./chrome-file-name.ts";
import type { SessionFiles } from "./session-files.ts";

export interface CopiedFile {
  path: string;
  name: string;
}

export class FileNotFoundError extends Error {
  override readonly name = "FileNotFoundError";
}

export async function copyToBrowser(
  disk: Pick<BrowserDisk, "write">,
  files: SessionFiles,
  paths: string[],
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = [];
  for (const path of paths) {
    const content = path.startsWith("/") ? await files.read(path) : undefined;
    if (content === undefined) throw new FileNotFoundError(`File not found: ${path}`);
    const name = baseName(path);
    copied.push({ path: await disk.write(toSavedName(name), content.body), name });
  }
  return copied;
}

export function baseName(path: string): string {
  return (
    path
      .replace(/(?<!\/)\/+$/, "")
      .split("/")
      .at(-1) ?? ""
  );
}
