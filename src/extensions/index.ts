export { loadExtension } from "./load-extension.ts";
export { readExtensionZip } from "./read-zip.ts";
export { extensionRoutes } from "./routes.ts";
export { type ExtensionSelection, selectExtensions } from "./select-extensions.ts";
export { touchExtensions } from "./store.ts";
export { sweepExtensions } from "./sweep.ts";
