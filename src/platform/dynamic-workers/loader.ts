import { ServiceError } from "../../lib/common/errors.ts";
import { sha256 } from "../../lib/common/hash.ts";

const COMPATIBILITY = { compatibilityDate: "2026-08-01", compatibilityFlags: ["nodejs_compat"] };

const RETIREMENT_TIMEOUT_MS = 5000;

const RETIREMENT_URL = "https://worker.invalid/";

export interface DynamicWorkerSource {
  mainModule: string;
  modules: WorkerLoaderWorkerCode["modules"];
  env?: Record<string, string>;
  outbound: Fetcher | null;
  /** Enforced only on Cloudflare. */
  cpuMs: number;
}

/** @throws ServiceError 501 if the deployment has no Dynamic Workers. */
export function requireLoader(env: Env): WorkerLoader {
  const loader: WorkerLoader | undefined = env.LOADER;
  if (loader !== undefined) return loader;
  throw new ServiceError(
    "not_implemented",
    "This service is deployed without Dynamic Workers (the binding LOADER), which run uploaded code",
    { shouldRetry: false },
  );
}

/** @example env.LOADER.load(toWorkerCode({ mainModule: "app.js", modules, outbound: null, cpuMs: 1000 })) */
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
 * A name for `LOADER.get`, the same for the same code and user. Cloudflare bills each pair of name and code
 * once a day, and may return a Worker that was loaded under this name before, even by another version of the
 * service.
 *
 * @param user whoever may share the Worker, such as an organization's id
 *
 * @example
 * const worker = env.LOADER.get(await nameWorker("compiler", code, organizationId), () => code);
 */
export async function nameWorker(kind: string, code: WorkerLoaderWorkerCode, user: string): Promise<string> {
  return `${kind}-${await sha256(JSON.stringify(code))}-${user}`;
}

/** Aborts a Worker by its entrypoint `Shutdown`: the local runtime never frees an idle one's memory. */
export async function retireWorker(worker: WorkerStub): Promise<void> {
  // The call fails, because the Worker aborts.
  await worker
    .getEntrypoint("Shutdown")
    .fetch(RETIREMENT_URL, { signal: AbortSignal.timeout(RETIREMENT_TIMEOUT_MS) })
    .catch(() => undefined);
}

/** The platform's limit for a paid plan; an action may poll every second for an hour. */
const MAX_SUBREQUESTS = 10_000;
