import type { BrowserExtension } from "./browser-extension.ts";

export function extensionWorld(extensionId: string): string {
  return `extension-${extensionId}`;
}

export function storageBinding(extensionId: string): string {
  return `berthStorage-${extensionId}`;
}

export function hasStoragePermission({ manifest }: BrowserExtension): boolean {
  return hasPermission(manifest, "storage");
}

export function hasUnlimitedStorage({ manifest }: BrowserExtension): boolean {
  return hasPermission(manifest, "unlimitedStorage");
}

function hasPermission({ permissions }: Record<string, unknown>, name: string): boolean {
  return Array.isArray(permissions) && permissions.includes(name);
}
