/** Where the zip of an extension is in R2. */
export function zipKey(organizationId: string, extensionId: string): string {
  return `extensions/${organizationId}/${extensionId}.zip`;
}
