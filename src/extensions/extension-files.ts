/** Where all zips of extensions are in R2. */
export const ZIPS_PREFIX = "extensions/";

/** Where the zip of an extension is in R2. */
export function zipKey(organizationId: string, extensionId: string): string {
  return `${ZIPS_PREFIX}${organizationId}/${extensionId}.zip`;
}

/** The extension whose zip has this key. */
export function extensionOfKey(key: string): string | undefined {
  return /\/([^/]+)\.zip$/.exec(key)?.[1];
}
