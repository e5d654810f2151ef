import { z } from "zod";
import { requireLoader, toWorkerCode } from "../../dynamic-workers/loader.ts";
import type { AppDescription } from "../../dynamic-workers/runtime/app-runner.ts";
import { readSettings } from "../../settings.ts";
import { appWorkerSource, bundleColumns } from "../app-worker.ts";
import { type ColumnLookup, toSourcePositions } from "../source-positions.ts";
import { AppFault, withinLimit } from "./app-fault.ts";
import type { Bundle } from "./bundle-app.ts";

const LONGEST_LOAD_MS = 10_000;
const CPU_MS = 10_000;

const MOST_APPS = 20;
const MOST_ACTIONS = 200;
const LONGEST_NAME = 255;

/** An app that only tells what it is reaches nobody. */
const PLACEHOLDERS = { KERNEL_API_KEY: "none", KERNEL_BASE_URL: "https://kernel.invalid" };

const name = z.string().min(1).max(LONGEST_NAME);
const descriptionsSchema: z.ZodType<AppDescription[]> = z
  .array(z.object({ name, actions: z.array(name).max(MOST_ACTIONS) }))
  .max(MOST_APPS);

/**
 * Loads a bundle once to see which apps it defines. It can make no request.
 *
 * @throws AppFault that says where, when it does not load or defines none; the reason of `signal`.
 */
export async function describeApp(
  env: Env,
  bundle: Pick<Bundle, "code" | "sourceMap">,
  envVars: Record<string, string>,
  signal: AbortSignal,
): Promise<AppDescription[]> {
  const { loopGuardMs } = readSettings(env);
  const source = await appWorkerSource(env, {
    bundle: bundle.code,
    env: { ...envVars, ...PLACEHOLDERS },
    outbound: null,
    cpuMs: CPU_MS,
    loopGuardMs,
  });
  const described = await withinLimit("Loading the app", LONGEST_LOAD_MS, signal, async (limit) => {
    const app = requireLoader(env).load(toWorkerCode(source)).getEntrypoint("Describe");
    try {
      const response = await app.fetch("https://app.invalid/", { signal: limit });
      return await response.json();
    } catch (error) {
      if (limit.aborted) throw error;
      throw toFault(error, bundle.sourceMap, bundleColumns({ bundle: bundle.code, loopGuardMs }));
    }
  });
  const parsed = descriptionsSchema.safeParse(described);
  if (!parsed.success) {
    throw new AppFault(
      `The app may define at most ${MOST_APPS} apps with ${MOST_ACTIONS} actions each, and names of at most ${LONGEST_NAME} characters`,
    );
  }
  requireActions(parsed.data);
  return parsed.data;
}

/** The platform puts all that stops a Worker from loading into one text. */
function toFault(error: unknown, sourceMap: string, toBundleColumn: ColumnLookup): AppFault {
  const message = error instanceof Error ? error.message : String(error);
  const cause = message.replace(/^Failed to start Worker:\n/, "").replace(/^Uncaught /, "");
  const located = toSourcePositions(cause, sourceMap, toBundleColumn).trimEnd();
  return new AppFault(`The app cannot be loaded: ${located}`);
}

function requireActions(descriptions: AppDescription[]): void {
  if (descriptions.length === 0) {
    throw new AppFault(
      "The entry point defines no app: it must call kernel.app(name), or export an app that it has made",
    );
  }
  for (const { name: app, actions } of descriptions) {
    if (actions.length === 0)
      throw new AppFault(`The app "${app}" has no actions: define them with app.action(name, …)`);
  }
}
