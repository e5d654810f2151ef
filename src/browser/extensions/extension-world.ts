import type { BrowserExtension } from "./browser-extension.ts";

/** Name of the isolated world in which an extension's scripts run, one in each document. */
export function extensionWorld(extensionId: string): string {
  return `extension-${extensionId}`;
}

/** Name of the function with which an extension's world asks for its storage. No other world has it. */
export function storageBinding(extensionId: string): string {
  return `berthStorage-${extensionId}`;
}

/** Whether an extension has chrome.storage: as in Chrome, by its manifest's word. */
export function mayStore({ manifest }: BrowserExtension): boolean {
  return hasPermission(manifest, "storage");
}

/** Whether an extension's storage has no quota. */
export function mayStoreUnlimited({ manifest }: BrowserExtension): boolean {
  return hasPermission(manifest, "unlimitedStorage");
}

function hasPermission({ permissions }: Record<string, unknown>, name: string): boolean {
  return Array.isArray(permissions) && permissions.includes(name);
}
