export const ZIPS_PREFIX = "extensions/";

export function zipKey(organizationId: string, extensionId: string): string {
  return `${ZIPS_PREFIX}${organizationId}/${extensionId}.zip`;
}

export function extensionIdOf(key: string): string | undefined {
  return /\/([^/]+)\.zip$/.exec(key)?.[1];
}
