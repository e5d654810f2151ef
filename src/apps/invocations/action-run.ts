import {
  type DynamicWorkerSource,
  type LogLine,
  type RunResult,
  readRun,
  toWorkerCode,
} from "../../dynamic-workers/index.ts";
import type { ActionRequest } from "../../dynamic-workers/runtime/app-runner.ts";

/** Each object has one run at most. */
const FACET = "run";

/** The host means nothing to the runner. */
const RUN_URL = "https://run.invalid/";

/** Whoever reads this is too late: the run was ended, and why is told by whoever has ended it. */
const RUN_ENDED = "The run was ended";

export interface ActionRunOptions {
  facets: DurableObjectFacets;
  loader: WorkerLoader;
  source: DynamicWorkerSource;
  request: ActionRequest;
  /** Called once its code has begun, and has let something else go on for the first time. */
  onStarted: () => void;
  /** Called for each line that it logs, in order; the next is read when it is done with this one. */
  onLine: (line: LogLine) => void | Promise<void>;
}

/**
 * Runs an action in a Dynamic Worker of its own, to its end: afterwards nothing of it goes on. It is a facet of the
 * object that runs it, which alone can be ended together with all that it has started, `waitUntil` included.
 *
 * @returns what it came to. What ends it half-way, such as code that does not load, is as if it had been thrown.
 */
export async function runAction(options: ActionRunOptions): Promise<RunResult> {
  const { facets, loader, source, request, onStarted, onLine } = options;
  const worker = loader.load(toWorkerCode(source));
  const facet = facets.get(FACET, () => ({ class: worker.getDurableObjectClass("Action") }));
  try {
    const response = await facet.fetch(RUN_URL, { method: "POST", body: JSON.stringify(request) });
    onStarted();
    if (response.body === null) throw new Error("The code answers nothing");
    return await readRun(response.body, request.limits, onLine);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, thrown: { name: "Error", message } };
  } finally {
    endRun(facets);
  }
}

/** Ends the run, if there is one, at once, and forgets what it has stored. */
export function endRun(facets: DurableObjectFacets): void {
  facets.abort(FACET, new Error(RUN_ENDED));
  facets.delete(FACET);
}
