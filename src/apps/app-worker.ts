import {
  type DynamicWorkerSource,
  guardLoops,
  type ModuleName,
  newColumnMapper,
  readModules,
} from "../dynamic-workers/index.ts";
import type { ColumnLookup } from "./source-positions.ts";

/** Names of the modules that apps find where they run, whatever their package.json asks for. */
export const PROVIDED_PACKAGES = ["@onkernel/sdk", "playwright-core", "playwright"] as const;

/** What every app is loaded with, and what only those that drive a browser are: the latter take a while to load. */
const COMMON_MODULES: ModuleName[] = ["berth-console", "berth-loop-guard", "@onkernel/sdk"];
const PLAYWRIGHT_MODULES: ModuleName[] = ["playwright-core", "playwright", "@cloudflare/playwright"];

/** Bundling leaves imports of provided packages as they are. */
const NAMES_PLAYWRIGHT = /["']playwright(-core)?["']/;

/** The name of the bundle in stacks. */
export const APP_MODULE = "app.js";

export interface AppWorkerOptions {
  /** What is done with the app: its actions are run, or it is described. */
  mainModule: Extract<ModuleName, "app-runner.js" | "app-describer.js">;
  /** The module that the app was bundled to. */
  bundle: string;
  /** What the app finds in `process.env`: the deployment's variables, and those that lead to this service. */
  env: Record<string, string>;
  /** Where all of its requests go; null: it can make none. */
  outbound: Fetcher | null;
  /** CPU time that it may take, in milliseconds. Only the deployed platform counts it. */
  cpuMs: number;
  /** How long its code may run without letting anything else go on; 0: nothing watches. */
  loopGuardMs: number;
}

/** What an app's Dynamic Worker is made of: its bundle, what runs or describes it, and the packages that it is provided with. */
export async function appWorkerSource(env: Env, options: AppWorkerOptions): Promise<DynamicWorkerSource> {
  const { mainModule, bundle, outbound, cpuMs, loopGuardMs } = options;
  const names = [mainModule, ...COMMON_MODULES, ...(NAMES_PLAYWRIGHT.test(bundle) ? PLAYWRIGHT_MODULES : [])];
  const code = loopGuardMs > 0 ? guardLoops(bundle, loopGuardMs) : bundle;
  return {
    mainModule,
    modules: { ...(await readModules(env, names)), [APP_MODULE]: { js: code } },
    env: options.env,
    outbound,
    cpuMs,
  };
}

/** Tells which column of its bundle one that an app's stack names is; see {@link appWorkerSource}. */
export function bundleColumns({
  bundle,
  loopGuardMs,
}: Pick<AppWorkerOptions, "bundle" | "loopGuardMs">): ColumnLookup {
  return loopGuardMs > 0 ? newColumnMapper(bundle, loopGuardMs) : (_, column) => column;
}
