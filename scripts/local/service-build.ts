import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { buildAssets } from "../build-assets.ts";
import { buildPageScripts } from "../build-page-scripts.ts";
import { runCommand } from "./command.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "./paths.ts";
import { BUILD_FILES } from "./service-options.ts";
import { wranglerEnvironment } from "./wrangler-environment.ts";

/** Each build is in a folder named after the hash of its sources. */
const BUILDS = join(TOOL_FOLDER, "builds");

const WORKER_OPTIONS = join(import.meta.dirname, "worker-options.ts");

const UNUSED_BUILD_LIFETIME_MS = 24 * 60 * 60_000;

const SOURCES = [
  "src/**/*",
  "packages/*/src/**/*",
  "web/**/*",
  "docs/**/*",
  "docs/.vitepress/**/*",
  "scripts/build-{assets,docs}.ts",
  "scripts/docs/*",
  "scripts/local/service-build.ts",
  "scripts/local/worker-options.ts",
  "wrangler.toml",
  "package-lock.json",
];

/**
 * Builds the service unless there is a build of the current sources.
 *
 * @returns the folder with the {@link BUILD_FILES}.
 * @throws SetUpError when the Worker cannot be bundled.
 */
export async function prepareBuild(signal: AbortSignal): Promise<string> {
  // Before hashSources(), which includes its output.
  buildPageScripts();
  const folder = join(BUILDS, hashSources());
  if (!existsSync(folder)) await build(folder, signal);
  const now = new Date();
  utimesSync(folder, now, now);
  removeUnusedBuilds(now.getTime());
  return folder;
}

async function build(folder: string, signal: AbortSignal): Promise<void> {
  const temporaryFolder = `${folder}.${process.pid}`;
  try {
    rmSync(temporaryFolder, { recursive: true, force: true });
    mkdirSync(temporaryFolder, { recursive: true });
    console.log("Building the Worker, its assets and the documentation …");
    const env = wranglerEnvironment(TOOL_FOLDER);
    const toml = join(ROOT, "wrangler.toml");
    const assets = join(temporaryFolder, BUILD_FILES.assets);
    const bundleTarget = ["--config", toml, "--outdir", join(temporaryFolder, "worker"), "--assets", assets];
    // wrangler requires the folder.
    mkdirSync(assets);
    const steps = [
      runCommand(process.execPath, [WRANGLER, "deploy", "--dry-run", ...bundleTarget], {
        title: "Bundling the Worker",
        env,
        signal,
      }),
      runCommand(process.execPath, [WORKER_OPTIONS, join(temporaryFolder, BUILD_FILES.options)], {
        title: "Reading wrangler.toml",
        env,
        signal,
      }),
      buildAssets(signal, assets),
    ];
    // Wait for all, so that none is left running when another fails.
    const failure = (await Promise.allSettled(steps)).find((step) => step.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    try {
      renameSync(temporaryFolder, folder);
    } catch (error) {
      // Another process has created the same build in the meantime.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

function hashSources(): string {
  const hash = createHash("sha256");
  const entries = globSync(SOURCES, { cwd: ROOT, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}

function removeUnusedBuilds(now: number): void {
  for (const name of readdirSync(BUILDS)) {
    const folder = join(BUILDS, name);
    const { mtimeMs } = statSync(folder);
    if (now - mtimeMs > UNUSED_BUILD_LIFETIME_MS) rmSync(folder, { recursive: true, force: true });
  }
}
