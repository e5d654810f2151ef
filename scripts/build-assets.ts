/** Puts the files that the Worker serves as they are into .wrangler/assets, where wrangler.toml looks for them. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { COMPILE_LIMIT_MS } from "../src/dynamic-workers/compile-request.ts";
import { guardLoops } from "../src/dynamic-workers/loop-guard.ts";
import { besidePackageEntry, packageFolder, ROOT, TOOL_FOLDER } from "./local/paths.ts";

/** Where wrangler.toml looks for the assets. */
export const ASSETS = join(TOOL_FOLDER, "assets");

/** The assets that are the project's own. */
const OWN_ASSETS = join(ROOT, "assets");

/** Path below the service's root to a package and a file of it. */
const FILES: Readonly<Record<string, readonly [packageName: string, file: string]>> = {
  "docs/swagger-ui-bundle.js": ["swagger-ui-dist", "swagger-ui-bundle.js"],
  "docs/swagger-ui.css": ["swagger-ui-dist", "swagger-ui.css"],
};

/** Where the live view's page begins. */
const LIVE_VIEW_PAGE = join(ROOT, "src", "live-view", "page", "main.ts");

/** Sources of the code that runs in Dynamic Workers. */
const RUNTIME = join(ROOT, "src", "dynamic-workers", "runtime");

/** The modules that Dynamic Workers are made of; see src/dynamic-workers/modules.ts. */
const RUNTIME_MODULES: Readonly<Record<string, BuildOptions>> = {
  "app-runner": { entryPoints: [join(RUNTIME, "app-runner.ts")] },
  "app-describer": { entryPoints: [join(RUNTIME, "app-describer.ts")] },
  "script-runner": { entryPoints: [join(RUNTIME, "script-runner.ts")] },
  "script-compiler": { entryPoints: [join(RUNTIME, "script-compiler.ts")] },
  "compile-script": { entryPoints: [join(RUNTIME, "compile-script.ts")] },
  bundler: { entryPoints: [join(RUNTIME, "bundler.ts")] },
  console: { entryPoints: [join(RUNTIME, "console.ts")] },
  "loop-guard": { entryPoints: [join(RUNTIME, "loop-guard.ts")] },
  "playwright-core": { entryPoints: [join(RUNTIME, "playwright-core.ts")] },
  // Playwright goes by the names of classes, and sends the text of functions to pages, where nothing keeps them.
  playwright: { stdin: reexport("@cloudflare/playwright"), minifyIdentifiers: false },
  "kernel-sdk": { stdin: reexport("@onkernel/sdk") },
};

/** What they find beside themselves. */
const PROVIDED_MODULES = [
  "cloudflare:*",
  "node:*",
  "*.wasm",
  "berth-console",
  "berth-loop-guard",
  "compile-script.js",
  "script.js",
  "app.js",
];

/** Workers know Node's modules only by their full names. */
const NODE_ALIASES = Object.fromEntries(
  builtinModules.filter((name) => !name.startsWith("_")).map((name) => [name, `node:${name}`]),
);

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
  buildRuntime(join(folder, "dynamic-workers"));
  for (const [path, [packageName, file]] of Object.entries(FILES)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(packageFolder(packageName), file), target);
  }
}

function buildRuntime(folder: string): void {
  for (const [name, entry] of Object.entries(RUNTIME_MODULES)) {
    const packages = ["@cloudflare/playwright", "@onkernel/sdk"].filter(
      (packageName) => entry.stdin?.contents !== reexport(packageName).contents,
    );
    buildSync({
      ...entry,
      outfile: join(folder, `${name}.js`),
      bundle: true,
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: entry.minifyIdentifiers ?? true,
      format: "esm",
      target: "es2024",
      platform: "neutral",
      mainFields: ["browser", "module", "main"],
      conditions: ["workerd", "worker", "browser"],
      alias: NODE_ALIASES,
      external: [...PROVIDED_MODULES, ...packages],
      legalComments: "none",
    });
  }
  leavePagesTheirSize(join(folder, "playwright.js"));
  limitCompiler(join(folder, "compile-script.js"));
  copyFileSync(
    besidePackageEntry("@cloudflare/worker-bundler", "esbuild.wasm"),
    join(folder, "esbuild.wasm"),
  );
}

/**
 * Elsewhere Playwright leaves the pages of a browser that it connects to as they are; in Workers it would give them a
 * size of its own.
 */
function leavePagesTheirSize(file: string): void {
  const text = readFileSync(file, "utf8");
  const [before, after, ...others] = text.split(
    'noDefaultViewport=globalThis.navigator?.userAgent!=="Cloudflare-Workers"',
  );
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error("@cloudflare/playwright does not size pages as it did: see leavePagesTheirSize");
  }
  writeFileSync(file, `${before}noDefaultViewport=true${after}`);
}

/** Parsers read some short code for ever. */
function limitCompiler(file: string): void {
  writeFileSync(file, guardLoops(readFileSync(file, "utf8"), COMPILE_LIMIT_MS));
}

/** A module that is a package. */
function reexport(packageName: string) {
  const contents = `export * from "${packageName}"; export { default } from "${packageName}";`;
  return { contents, resolveDir: ROOT };
}

if (import.meta.main) {
  rmSync(ASSETS, { recursive: true, force: true });
  buildAssets();
}
