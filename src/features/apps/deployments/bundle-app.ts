import { readSettings } from "../../../lib/common/settings.ts";
import {
  readAsset,
  readModule,
  requireLoader,
  retireWorker,
  toWorkerCode,
} from "../../../platform/dynamic-workers/index.ts";
import type { BundleAnswer, BundleOptions } from "../../../platform/dynamic-workers/runtime/bundler.ts";
import { PROVIDED_PACKAGES } from "../app-worker.ts";
import { AppError, withTimeout } from "./app-error.ts";
import { publicRegistry } from "./package-gateway.ts";

/** Includes the download of packages. */
const BUNDLING_TIMEOUT_MS = 120_000;
const CPU_LIMIT_MS = 60_000;

const BUNDLER_URL = "https://bundler.invalid/";

export type Bundle = Extract<BundleAnswer, { ok: true }>;

/** Bundles an app with the packages that it imports. @throws AppError; the reason of `signal`. */
export async function bundleApp(
  env: Env,
  {
    zip,
    entrypoint,
    packageGateway,
    signal,
  }: {
    zip: ReadableStream;
    entrypoint: string;
    packageGateway: Fetcher;
    signal: AbortSignal;
  },
): Promise<Bundle> {
  const { installsPackages, packageRegistry } = readSettings(env).apps;
  const options: BundleOptions = {
    entrypoint,
    provided: PROVIDED_PACKAGES,
    installs: installsPackages,
    registry: publicRegistry(packageRegistry),
  };
  const url = `${BUNDLER_URL}?options=${encodeURIComponent(JSON.stringify(options))}`;
  const answer = await withTimeout("Bundling the app", BUNDLING_TIMEOUT_MS, signal, async (limit) => {
    const bundler = await loadBundler(env, installsPackages ? packageGateway : null);
    try {
      const call = { method: "POST", body: zip, signal: limit };
      const response = await bundler.getEntrypoint("Bundler").fetch(url, call);
      return await response.json<BundleAnswer>();
    } finally {
      void retireWorker(bundler);
    }
  });
  if (answer.ok) return answer;
  const lacksPackages = answer.problems.some((problem) => MISSING_PACKAGE.test(problem));
  const hints = lacksPackages && !installsPackages ? [INSTALLS_DISABLED] : [];
  throw new AppError(["The app cannot be bundled:", ...answer.problems, ...hints].join("\n"));
}

const MISSING_PACKAGE = /Could not resolve "[^./]/;

const INSTALLS_DISABLED =
  "Packages must be in the zip's node_modules: this service installs no packages (setting APP_PACKAGE_INSTALLS)";

/** Loads a bundler for one app, so that no app can affect another's. */
async function loadBundler(env: Env, outbound: Fetcher | null): Promise<WorkerStub> {
  const loader = requireLoader(env);
  const [code, esbuild] = await Promise.all([readModule(env, "bundler.js"), readAsset(env, "esbuild.wasm")]);
  const modules = { "bundler.js": { js: code }, "esbuild.wasm": { wasm: await esbuild.arrayBuffer() } };
  return loader.load(toWorkerCode({ mainModule: "bundler.js", modules, outbound, cpuMs: CPU_LIMIT_MS }));
}
