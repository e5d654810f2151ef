import { zipKey } from "./extension-files.ts";

/** @returns null if the zip is deleted. */
export async function readExtensionZip(
  files: R2Bucket,
  organizationId: string,
  id: string,
): Promise<Uint8Array | null> {
  const zip = await files.get(zipKey(organizationId, id));
  return zip === null ? null : zip.bytes();
}
