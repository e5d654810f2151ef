import { withinTime } from "../../concurrency.ts";
import { requireLoader, toWorkerCode } from "../../dynamic-workers/loader.ts";
import { readAsset, readModule } from "../../dynamic-workers/modules.ts";
import type { BundleAnswer, BundleOptions } from "../../dynamic-workers/runtime/bundler.ts";
import { sha256 } from "../../hash.ts";
import { logError } from "../../log.ts";
import { readSettings } from "../../settings.ts";
import { PROVIDED_PACKAGES } from "../app-worker.ts";
import { AppFault, withinLimit } from "./app-fault.ts";
import { publicRegistry } from "./package-gateway.ts";

/** With the time that packages take to arrive. */
const LONGEST_BUNDLING_MS = 120_000;
const LONGEST_START_MS = 10_000;
const MOST_STARTS = 3;
const CPU_MS = 60_000;

/** The host means nothing: whoever answers was asked for. */
const BUNDLER = "https://bundler.invalid/";

/** An app as one module. */
export type Bundle = Extract<BundleAnswer, { ok: true }>;

/**
 * Counts bundlers that were given up: they may have been left half-way, and are not asked again. The others serve
 * every deployment, since a new one takes half a second to start.
 */
let generation = 0;

/**
 * Makes one module of an app's files, with the packages that it imports.
 *
 * @param packageGateway where packages are fetched from.
 * @throws AppFault for what is wrong with the app; the reason of `signal`.
 */
export async function bundleApp(
  env: Env,
  {
    zip,
    entrypoint,
    packageGateway,
    signal,
  }: {
    zip: ArrayBuffer;
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
  const url = `${BUNDLER}?options=${encodeURIComponent(JSON.stringify(options))}`;
  const answer = await withinLimit("Bundling the app", LONGEST_BUNDLING_MS, signal, async (limit) => {
    const bundler = await startBundler(env, installsPackages ? packageGateway : null);
    try {
      const response = await bundler.fetch(url, { method: "POST", body: zip, signal: limit });
      return await response.json<BundleAnswer>();
    } catch (error) {
      generation += 1;
      throw error;
    }
  });
  if (answer.ok) return answer;
  const lacksPackages = answer.problems.some((problem) => MISSING_PACKAGE.test(problem));
  const hints = lacksPackages && !installsPackages ? [WITHOUT_INSTALLS] : [];
  throw new AppFault(["The app cannot be bundled:", ...answer.problems, ...hints].join("\n"));
}

const MISSING_PACKAGE = /Could not resolve "[^./]/;

const WITHOUT_INSTALLS =
  "Packages must be in the zip's node_modules: this service installs none (setting APP_PACKAGE_INSTALLS)";

/** A bundler that answers. Its start is never broken off: that would leave it useless for all. */
async function startBundler(env: Env, outbound: Fetcher | null): Promise<Fetcher> {
  const code = await readModule(env, "bundler.js");
  const version = (await sha256(code)).slice(0, 16);
  for (let starts = 0; starts < MOST_STARTS; starts++) {
    const id = `bundler ${version} ${generation} ${outbound === null ? "alone" : "with packages"}`;
    const bundler = requireLoader(env)
      .get(id, async () => {
        const esbuild = await (await readAsset(env, "esbuild.wasm")).arrayBuffer();
        return toWorkerCode({
          mainModule: "bundler.js",
          modules: { "bundler.js": { js: code }, "esbuild.wasm": { wasm: esbuild } },
          outbound,
          cpuMs: CPU_MS,
        });
      })
      .getEntrypoint("Bundler");
    const start = bundler.fetch(BUNDLER).catch((error) => logError("bundler_not_started", error));
    const started = await withinTime(start, LONGEST_START_MS);
    if (started?.ok) return bundler;
    generation += 1;
  }
  throw new Error("The bundler does not start");
}
