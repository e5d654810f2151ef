export { zipKey } from "./extension-files.ts";
export { loadExtension } from "./load-extension.ts";
export { readExtensionZip } from "./read-zip.ts";
export { type ExtensionSelection, selectExtensions } from "./select-extensions.ts";
export { findExtension, listExtensions, markExtensionDeleted, touchExtensions } from "./store.ts";
export { sweepExtensions } from "./sweep.ts";
export { uploadExtension } from "./upload.ts";
