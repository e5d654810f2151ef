/** Builds the static files that the Worker serves into .wrangler/assets. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { type BuildOptions, buildSync, context } from "esbuild";
import { COMPILE_LIMIT_MS } from "../src/platform/dynamic-workers/compile-request.ts";
import { guardLoops } from "../src/platform/dynamic-workers/loop-guard.ts";
import { runCommand } from "./local/command.ts";
import { ROOT, siblingOfPackageEntry, TOOL_FOLDER } from "./local/paths.ts";

export const ASSETS = join(TOOL_FOLDER, "assets");

const WEB = join(ROOT, "web");

const DOCS_SCRIPT = join(ROOT, "scripts", "build-docs.ts");

/** The folders of the static pages in the assets, and where their sources are. */
const PAGES = {
  "live-view": join(WEB, "live-view"),
  "replay-view": join(WEB, "recording"),
};

const ICON = join(ROOT, "docs", "public", "icon.svg");

const PAGE_OPTIONS = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  loader: { ".svg": "dataurl" },
} satisfies BuildOptions;

const CONSOLE = join(WEB, "console");

const RUNTIME = join(ROOT, "src", "platform", "dynamic-workers", "runtime");

/** The modules that src/platform/dynamic-workers/modules.ts loads. */
const RUNTIME_MODULES: Readonly<Record<string, BuildOptions>> = {
  "app-runner": { entryPoints: [join(RUNTIME, "app-runner.ts")] },
  "app-describer": { entryPoints: [join(RUNTIME, "app-describer.ts")] },
  "script-runner": { entryPoints: [join(RUNTIME, "script-runner.ts")] },
  "script-compiler": { entryPoints: [join(RUNTIME, "script-compiler.ts")] },
  "compile-script": { entryPoints: [join(RUNTIME, "compile-script.ts")] },
  "page-driver": { entryPoints: [join(ROOT, "src", "api", "mcp", "page-driver", "main.ts")] },
  bundler: { entryPoints: [join(RUNTIME, "bundler.ts")] },
  console: { entryPoints: [join(RUNTIME, "console.ts")] },
  "loop-guard": { entryPoints: [join(RUNTIME, "loop-guard.ts")] },
  "playwright-core": { entryPoints: [join(RUNTIME, "playwright-core.ts")] },
  // Playwright depends on class names, and sends the source of its functions to pages.
  playwright: { stdin: reexport("@cloudflare/playwright"), minifyIdentifiers: false },
  "kernel-sdk": { stdin: reexport("@onkernel/sdk") },
};

/** Imports resolved at run time. */
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

/** Workers resolve Node's modules only with the `node:` prefix. */
const NODE_ALIASES = Object.fromEntries(
  builtinModules.filter((name) => !name.startsWith("_")).map((name) => [name, `node:${name}`]),
);

/** @throws SetUpError when the documentation cannot be built. */
export async function buildAssets(signal: AbortSignal, folder = ASSETS): Promise<void> {
  for (const [name, sources] of Object.entries(PAGES)) {
    buildSync({
      ...PAGE_OPTIONS,
      entryPoints: ["main.ts", "page.css"].map((file) => ({ in: join(sources, file), out: "page" })),
      outdir: join(folder, name),
    });
    copyPage(join(sources, "index.html"), join(folder, name, "index.html"));
  }
  buildConsole(join(folder, "console", "files"));
  buildRuntime(join(folder, "dynamic-workers"));
  const title = "Building the documentation";
  await runCommand(process.execPath, [DOCS_SCRIPT, join(folder, "docs")], { title, signal });
}

/** Copies a page, with the icon in it: each page has an address of its own. */
function copyPage(source: string, target: string): void {
  const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(ICON, "utf8").trim())}`;
  writeFileSync(target, readFileSync(source, "utf8").replace('href="icon.svg"', `href="${icon}"`));
}

function buildConsole(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  buildSync(consoleOptions(folder));
  copyPage(join(CONSOLE, "index.html"), join(folder, "index.html"));
}

/** Rebuilds the console after each change to its sources, until the signal aborts. */
export async function watchConsole(signal: AbortSignal): Promise<void> {
  const builder = await context({ ...consoleOptions(join(ASSETS, "console", "files")), logLevel: "error" });
  signal.addEventListener("abort", () => void builder.dispose());
  await builder.watch();
}

/** A single file, about 70 KB compressed, so that every view is available without loading more. */
function consoleOptions(folder: string) {
  return {
    entryPoints: { app: join(CONSOLE, "main.tsx") },
    outdir: folder,
    ...PAGE_OPTIONS,
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
  } satisfies BuildOptions;
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
  keepPageSize(join(folder, "playwright.js"));
  addCompileTimeout(join(folder, "compile-script.js"));
  copyFileSync(
    siblingOfPackageEntry("@cloudflare/worker-bundler", "esbuild.wasm"),
    join(folder, "esbuild.wasm"),
  );
}

/** In Workers, Playwright resizes the pages of a browser that it connects to. In Node it does not. */
function keepPageSize(file: string): void {
  const text = readFileSync(file, "utf8");
  const [before, after, ...others] = text.split(
    'noDefaultViewport=globalThis.navigator?.userAgent!=="Cloudflare-Workers"',
  );
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error("@cloudflare/playwright has changed: update keepPageSize");
  }
  writeFileSync(file, `${before}noDefaultViewport=true${after}`);
}

/** Some short inputs make parsers loop forever. */
function addCompileTimeout(file: string): void {
  writeFileSync(file, guardLoops(readFileSync(file, "utf8"), COMPILE_LIMIT_MS));
}

function reexport(packageName: string) {
  const contents = `export * from "${packageName}"; export { default } from "${packageName}";`;
  return { contents, resolveDir: ROOT };
}

if (import.meta.main) {
  rmSync(ASSETS, { recursive: true, force: true });
  await buildAssets(new AbortController().signal);
}
