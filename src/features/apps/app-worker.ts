import {
  type DynamicWorkerSource,
  guardLoops,
  type ModuleName,
  newColumnMapper,
  readModules,
} from "../../platform/dynamic-workers/index.ts";
import type { ColumnLookup } from "./source-positions.ts";

/** Modules that apps import from the service, whatever their package.json says. */
export const PROVIDED_PACKAGES = ["@onkernel/sdk", "playwright-core", "playwright"] as const;

/** Playwright takes a while to load, so only apps that import it get it. */
const COMMON_MODULES: ModuleName[] = ["berth-console", "berth-loop-guard", "@onkernel/sdk"];
const PLAYWRIGHT_MODULES: ModuleName[] = ["playwright-core", "playwright", "@cloudflare/playwright"];

const IMPORTS_PLAYWRIGHT = /["']playwright(-core)?["']/;

/** The name of the bundle in stacks. */
const APP_MODULE = "app.js";

interface AppWorkerOptions {
  mainModule: Extract<ModuleName, "app-runner.js" | "app-describer.js">;
  bundle: string;
  env: Record<string, string>;
  /** Receives all of the app's requests; null: it cannot make any. */
  outbound: Fetcher | null;
  /** Enforced by the deployed platform only. */
  cpuMs: number;
  /** How long its code may block the event loop; 0: without limit. */
  loopGuardMs: number;
}

export async function appWorkerSource(env: Env, options: AppWorkerOptions): Promise<DynamicWorkerSource> {
  const { mainModule, bundle, outbound, cpuMs, loopGuardMs } = options;
  const names = [
    mainModule,
    ...COMMON_MODULES,
    ...(IMPORTS_PLAYWRIGHT.test(bundle) ? PLAYWRIGHT_MODULES : []),
  ];
  const code = loopGuardMs > 0 ? guardLoops(bundle, loopGuardMs) : bundle;
  return {
    mainModule,
    modules: { ...(await readModules(env, names)), [APP_MODULE]: { js: code } },
    env: options.env,
    outbound,
    cpuMs,
  };
}

/** Translates the columns in an app's stacks into columns of its bundle. */
export function bundleColumnLookup({
  bundle,
  loopGuardMs,
}: Pick<AppWorkerOptions, "bundle" | "loopGuardMs">): ColumnLookup {
  return loopGuardMs > 0 ? newColumnMapper(bundle, loopGuardMs) : (_, column) => column;
}
