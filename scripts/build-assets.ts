/** Puts the files that the Worker serves as they are into .wrangler/assets, where wrangler.toml looks for them. */
import { copyFileSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { packageFolder, ROOT, TOOL_FOLDER } from "./local/paths.ts";

const ASSETS = join(TOOL_FOLDER, "assets");

/** The assets that are the project's own. */
const OWN_ASSETS = join(ROOT, "assets");

/** Path below the service's root to a package and a file of it. */
const FILES: Readonly<Record<string, readonly [packageName: string, file: string]>> = {
  "docs/swagger-ui-bundle.js": ["swagger-ui-dist", "swagger-ui-bundle.js"],
  "docs/swagger-ui.css": ["swagger-ui-dist", "swagger-ui.css"],
};

/** Where the live view's page begins. */
const LIVE_VIEW_PAGE = join(ROOT, "src", "live-view", "page", "main.ts");

/** Makes the assets in a folder of their own; services that run side by side each have one. */
export function buildAssets(folder = ASSETS): void {
  cpSync(OWN_ASSETS, folder, { recursive: true });
  buildSync({
    entryPoints: [LIVE_VIEW_PAGE],
    outfile: join(folder, "live-view", "page.js"),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
  });
  for (const [path, [packageName, file]] of Object.entries(FILES)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(packageFolder(packageName), file), target);
  }
}

if (import.meta.main) {
  rmSync(ASSETS, { recursive: true, force: true });
  buildAssets();
}
