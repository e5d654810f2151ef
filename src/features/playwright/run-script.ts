import { exports } from "cloudflare:workers";
import {
  type LogLine,
  type ModuleName,
  type RunLimits,
  type RunResult,
  readModules,
  readRun,
  requireLoader,
  retireWorker,
  type ScriptProps,
  type ScriptRequest,
  toWorkerCode,
} from "../../platform/dynamic-workers/index.ts";
import { recordSessionUsage } from "../usage/index.ts";
import { SCRIPT_MODULE } from "./compile-script.ts";
import { type ScriptWorker, ScriptWorkers } from "./script-workers.ts";
import type { SessionEndpointProps } from "./session-endpoint.ts";

const MODULES = [
  "script-runner.js",
  "berth-console",
  "berth-loop-guard",
  "@cloudflare/playwright",
] as const satisfies ModuleName[];

const MIB = 1024 * 1024;

const LIMITS: RunLimits = { outputBytes: 4.5 * MIB, logBytes: MIB };

/** Added to the script's time-out: how long it may take to start, and to end itself. */
const GRACE_MS = 3000;

/** The platform's default. */
const CPU_LIMIT_MS = 30_000;

const WORKER_URL = "https://script.invalid/";

/** A Worker that cannot run another script answers this. */
const WORKER_EXPIRED = 410;

interface LoadedScript {
  env: Env;
  loader: WorkerLoader;
  code: WorkerLoaderWorkerCode;
}

export interface ScriptRun {
  /** Identifies the script of this caller. */
  key: string;
  session: SessionEndpointProps;
  timeoutMs: number;
  signal: AbortSignal;
  waitUntil: (work: Promise<unknown>) => void;
}

const workers = new ScriptWorkers();

export async function loadScript(env: Env, module: string): Promise<LoadedScript> {
  const loader = requireLoader(env);
  const modules = await readModules(env, MODULES);
  const code = toWorkerCode({
    mainModule: MODULES[0],
    modules: { ...modules, [SCRIPT_MODULE]: { js: module } },
    outbound: null,
    cpuMs: CPU_LIMIT_MS,
  });
  return { env, loader, code };
}

/** Runs a script and ends all it has started. @throws the reason of an abort, or why there is no result. */
export async function runScript(
  script: LoadedScript,
  run: ScriptRun,
  onLine: (line: LogLine) => void,
): Promise<RunResult> {
  const worker = workers.take(run.key);
  if (worker.isNew)
    run.waitUntil(recordSessionUsage(script.env, run.session.sessionId, { dynamicWorkers: 1 }));
  const end = new AbortController();
  const timeout = AbortSignal.timeout(run.timeoutMs + GRACE_MS);
  let isReusable = false;
  try {
    const response = await callWorker(
      script,
      worker,
      run,
      AbortSignal.any([end.signal, timeout, run.signal]),
    );
    if (response.status === WORKER_EXPIRED) return await runScript(script, run, onLine);
    const result = await readRun(response.body ?? new Blob([]).stream(), LIMITS, onLine);
    isReusable = result.ok;
    return result;
  } finally {
    end.abort();
    if (!isReusable) run.waitUntil(retire(script.loader, worker));
    const evicted = isReusable ? workers.keep(worker) : undefined;
    if (evicted !== undefined) run.waitUntil(evict(script.loader, evicted));
  }
}

function callWorker(
  { loader, code }: LoadedScript,
  { name }: ScriptWorker,
  { session, timeoutMs }: ScriptRun,
  signal: AbortSignal,
): Promise<Response> {
  const browser = exports.SessionEndpoint({ props: session });
  const props: ScriptProps = { sessionId: session.sessionId, browser };
  const request: ScriptRequest = { timeoutMs, limits: LIMITS };
  return loader
    .get(name, () => code)
    .getEntrypoint("Script", { props })
    .fetch(WORKER_URL, { method: "POST", body: JSON.stringify(request), signal });
}

async function evict(loader: WorkerLoader, worker: ScriptWorker): Promise<void> {
  await retire(loader, worker);
  workers.release(worker);
}

function retire(loader: WorkerLoader, { name }: ScriptWorker): Promise<void> {
  return retireWorker(loader.get(name, () => Promise.reject(new Error("The Worker has ended"))));
}
