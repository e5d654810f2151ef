import { ServiceError } from "../common/errors.ts";

/** What the code that is loaded may use of the platform; as wrangler.toml has it for the service itself. */
const COMPATIBILITY = { compatibilityDate: "2026-08-01", compatibilityFlags: ["nodejs_compat"] };

const RETIREMENT_TIMEOUT_MS = 5000;

/** The host means nothing to a Dynamic Worker. */
const RETIREMENT_URL = "https://worker.invalid/";

/** What one Dynamic Worker is made of. */
export interface DynamicWorkerSource {
  mainModule: string;
  modules: WorkerLoaderWorkerCode["modules"];
  /** What it finds in `process.env`. */
  env?: Record<string, string>;
  /** Where all of its requests go; null: it can make none. */
  outbound: Fetcher | null;
  /** CPU time that it may take, in milliseconds. Only the deployed platform counts it. */
  cpuMs: number;
}

/**
 * The platform's loader of code as Workers of their own.
 *
 * @throws ServiceError 501 where the deployment has none.
 */
export function requireLoader(env: Env): WorkerLoader {
  const loader: WorkerLoader | undefined = env.LOADER;
  if (loader !== undefined) return loader;
  throw new ServiceError(
    "not_implemented",
    "This service is deployed without Dynamic Workers (the binding LOADER), which run uploaded code",
    { shouldRetry: false },
  );
}

/** A source in the loader's own terms. */
export function toWorkerCode(source: DynamicWorkerSource): WorkerLoaderWorkerCode {
  return {
    ...COMPATIBILITY,
    mainModule: source.mainModule,
    modules: source.modules,
    env: source.env ?? {},
    globalOutbound: source.outbound,
    limits: { cpuMs: source.cpuMs, subRequests: MAX_SUBREQUESTS },
  };
}

/**
 * Ends a Worker that was loaded, with whatever is under way in it, and lets its memory go: the local runtime keeps the
 * memory of one that nobody asks any more. Its main module has an entrypoint `Retirement` for that.
 */
export async function retireWorker(worker: WorkerStub): Promise<void> {
  // The call fails with the Worker, which may have ended before.
  await worker
    .getEntrypoint("Retirement")
    .fetch(RETIREMENT_URL, { signal: AbortSignal.timeout(RETIREMENT_TIMEOUT_MS) })
    .catch(() => undefined);
}

/** What the platform allows a request of a paid plan: an action may look at something every second for an hour. */
const MAX_SUBREQUESTS = 10_000;
