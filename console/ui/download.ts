import { request } from "../api/client.ts";

const REVOKE_AFTER_MS = 60_000;

/**
 * Saves an answer of the API as a file.
 *
 * @returns whether there was something to save.
 * @throws APIError
 */
export async function download(path: string, fileName: string): Promise<boolean> {
  const blob = await (await request(path)).blob();
  if (blob.size === 0) return false;
  saveFile(blob, fileName);
  return true;
}

export function saveFile(blob: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
