import { zipKey } from "./extension-files.ts";

/** @throws Error if the zip is deleted. */
export async function readExtensionZip(
  files: R2Bucket,
  organizationId: string,
  id: string,
): Promise<Uint8Array> {
  const zip = await files.get(zipKey(organizationId, id));
  if (zip === null) throw new Error(`The zip of extension ${id} is missing`);
  return zip.bytes();
}
