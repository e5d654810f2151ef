import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** The project's folder. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** What the project's own tools keep, all of it replaceable; not in version control. */
export const TOOL_FOLDER = join(ROOT, ".wrangler");

export const WRANGLER = join(packageFolder("wrangler"), "bin", "wrangler.js");

/** Folder of a dependency that lets its package.json be asked for. */
export function packageFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}

/** A file beside the entry of a dependency that does not let its package.json be asked for. */
export function besidePackageEntry(name: string, file: string): string {
  return join(dirname(fileURLToPath(import.meta.resolve(name))), file);
}
