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
} from "../dynamic-workers/index.ts";
import { SCRIPT_MODULE } from "./compile-script.ts";
import { type ScriptWorker, ScriptWorkers } from "./script-workers.ts";
import type { SessionEndpointProps } from "./session-endpoint.ts";

/** What a script's Worker is made of, the main one first. */
const MODULES = [
  "script-runner.js",
  "berth-console",
  "berth-loop-guard",
  "@cloudflare/playwright",
] as const satisfies ModuleName[];

const MIB = 1024 * 1024;

const LIMITS: RunLimits = { outputBytes: 4.5 * MIB, logBytes: MIB };

/** How long a script that does not let itself be ended when its time is up may go on, its start included. */
const GRACE_MS = 3000;

/** What the platform gives a request unless it is told otherwise. */
const CPU_LIMIT_MS = 30_000;

/** The host of the URL means nothing to a script's Worker. */
const WORKER_URL = "https://script.invalid/";

/** What a Worker answers that can run nothing any more. */
const WORKER_EXPIRED = 410;

/** A script's Worker, as yet without a name. */
export interface LoadedScript {
  loader: WorkerLoader;
  code: WorkerLoaderWorkerCode;
}

export interface ScriptRun {
  /** What this script of this caller is told by from others. */
  key: string;
  session: SessionEndpointProps;
  timeoutMs: number;
  /** Ends the run. */
  signal: AbortSignal;
  /** Lets work go on after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

const workers = new ScriptWorkers();

/** @throws ServiceError 501 where the deployment has no Dynamic Workers. */
export async function loadScript(env: Env, module: string): Promise<LoadedScript> {
  const loader = requireLoader(env);
  const modules = await readModules(env, MODULES);
  const code = toWorkerCode({
    mainModule: MODULES[0],
    modules: { ...modules, [SCRIPT_MODULE]: { js: module } },
    outbound: null,
    cpuMs: CPU_LIMIT_MS,
  });
  return { loader, code };
}

/**
 * Runs a script in its Worker, and ends whatever it leaves under way.
 *
 * @param onLine called for each line that it logs, in order.
 * @throws whatever keeps the script from telling how it ended: the reason of an abort, for example.
 */
export async function runScript(
  script: LoadedScript,
  run: ScriptRun,
  onLine: (line: LogLine) => void,
): Promise<RunResult> {
  const worker = workers.take(run.key);
  const end = new AbortController();
  const timeUp = AbortSignal.timeout(run.timeoutMs + GRACE_MS);
  let isReusable = false;
  try {
    const response = await callWorker(script, worker, run, AbortSignal.any([end.signal, timeUp, run.signal]));
    if (response.status === WORKER_EXPIRED) return await runScript(script, run, onLine);
    const result = await readRun(response.body ?? new Blob([]).stream(), LIMITS, onLine);
    isReusable = result.ok;
    return result;
  } finally {
    end.abort();
    const unneeded = isReusable ? workers.keep(run.key, worker) : worker;
    if (unneeded !== undefined) run.waitUntil(retire(script.loader, unneeded));
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

/** Ends a Worker of this name, if there is one. */
function retire(loader: WorkerLoader, { name }: ScriptWorker): Promise<void> {
  return retireWorker(loader.get(name, () => Promise.reject(new Error("The Worker has ended"))));
}
