import { z } from "zod";
import { readSettings } from "../../../lib/common/settings.ts";
import {
  isStackOverflow,
  NESTED_TOO_DEEPLY,
  requireLoader,
  retireWorker,
  thrownSchema,
  toWorkerCode,
} from "../../../platform/dynamic-workers/index.ts";
import type {
  AppDescription,
  DescribeAnswer,
} from "../../../platform/dynamic-workers/runtime/app-describer.ts";
import { appWorkerSource, bundleColumnLookup } from "../app-worker.ts";
import { toSourcePositions } from "../source-positions.ts";
import { AppError, withTimeout } from "./app-error.ts";
import type { Bundle } from "./bundle-app.ts";

const LOAD_TIMEOUT_MS = 10_000;
const CPU_LIMIT_MS = 10_000;

const MAX_APPS = 20;
const MAX_ACTIONS = 200;
const MAX_NAME_LENGTH = 255;

const PLACEHOLDERS = { KERNEL_API_KEY: "none", KERNEL_BASE_URL: "https://kernel.invalid" };

const name = z.string().min(1).max(MAX_NAME_LENGTH);
const answerSchema: z.ZodType<DescribeAnswer> = z.union([
  z.object({ apps: z.array(z.object({ name, actions: z.array(name).max(MAX_ACTIONS) })).max(MAX_APPS) }),
  z.object({ thrown: thrownSchema }),
]);

const LOAD_FAILURE = /^Failed to start Worker:\n(Uncaught )?/;

/** Loads a bundle without network to see its apps. @throws AppError; `signal`'s reason; platform failures. */
export async function describeApp(
  env: Env,
  bundle: Pick<Bundle, "code" | "sourceMap">,
  envVars: Record<string, string>,
  signal: AbortSignal,
): Promise<AppDescription[]> {
  const { loopGuardMs } = readSettings(env);
  const source = await appWorkerSource(env, {
    mainModule: "app-describer.js",
    bundle: bundle.code,
    env: { ...envVars, ...PLACEHOLDERS },
    outbound: null,
    cpuMs: CPU_LIMIT_MS,
    loopGuardMs,
  }).catch((error: unknown) => {
    throw isStackOverflow(error) ? new AppError(`The app cannot be loaded: ${NESTED_TOO_DEEPLY}`) : error;
  });
  const toAppError = (cause: string) => {
    const toBundleColumn = bundleColumnLookup({ bundle: bundle.code, loopGuardMs });
    const located = toSourcePositions(cause, bundle.sourceMap, toBundleColumn).trimEnd();
    return new AppError(`The app cannot be loaded: ${located}`);
  };
  const answer = await withTimeout("Loading the app", LOAD_TIMEOUT_MS, signal, async (limit) => {
    const app = requireLoader(env).load(toWorkerCode(source));
    try {
      const response = await app.getEntrypoint("Describe").fetch("https://app.invalid/", { signal: limit });
      return await response.json();
    } catch (error) {
      const message = error instanceof Error ? error.message : "";
      throw LOAD_FAILURE.test(message) ? toAppError(message.replace(LOAD_FAILURE, "")) : error;
    } finally {
      void retireWorker(app);
    }
  });
  const { data } = answerSchema.safeParse(answer);
  if (data === undefined) {
    throw new AppError(
      `The app may define at most ${MAX_APPS} apps with ${MAX_ACTIONS} actions each, and names of at most ${MAX_NAME_LENGTH} characters`,
    );
  }
  if ("thrown" in data) throw toAppError(data.thrown.message);
  requireActions(data.apps);
  return data.apps;
}

function requireActions(descriptions: AppDescription[]): void {
  if (descriptions.length === 0) {
    throw new AppError("The entry point defines no app: it must call kernel.app(name), or export an app");
  }
  for (const { name: app, actions } of descriptions) {
    if (actions.length === 0)
      throw new AppError(`The app "${app}" has no actions: define them with app.action(name, …)`);
  }
}
