import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

export const ROOT = resolve(import.meta.dirname, "../..");

/** Generated files, ignored by git. */
export const TOOL_FOLDER = join(ROOT, ".wrangler");

export const WRANGLER = join(packageFolder("wrangler"), "bin", "wrangler.js");

/** Folder of a dependency that exports its package.json. */
export function packageFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}

/** A file next to the entry of a dependency that does not export its package.json. */
export function siblingOfPackageEntry(name: string, file: string): string {
  return join(dirname(fileURLToPath(import.meta.resolve(name))), file);
}
