import {
  type DynamicWorkerSource,
  type LogLine,
  type RunResult,
  readRun,
  requireLoader,
  toWorkerCode,
} from "../../../platform/dynamic-workers/index.ts";
import type { ActionRequest } from "../../../platform/dynamic-workers/runtime/app-runner.ts";
import { RUN_LIMITS } from "./action-source.ts";
import type { InvocationState } from "./state.ts";

const FACET = "run";

const RUN_URL = "https://run.invalid/";

interface RunEvents {
  /** Called when the code has started and returned to the event loop for the first time. */
  onStarted: () => void;
  /** Called for each line that it logs; the next one is read when this resolves. */
  onLine: (line: LogLine) => void | Promise<void>;
}

/**
 * Runs an action as a facet of the invocation's object: only a facet can be ended together with its
 * `waitUntil` work.
 *
 * @returns the result; anything that stops the run counts as thrown by the action.
 */
export async function runAction(
  { env, object }: InvocationState,
  source: DynamicWorkerSource,
  action: Omit<ActionRequest, "limits">,
  { onStarted, onLine }: RunEvents,
): Promise<RunResult> {
  const worker = requireLoader(env).load(toWorkerCode(source));
  const facet = object.facets.get(FACET, () => ({ class: worker.getDurableObjectClass("Action") }));
  const request: ActionRequest = { ...action, limits: RUN_LIMITS };
  try {
    const response = await facet.fetch(RUN_URL, { method: "POST", body: JSON.stringify(request) });
    onStarted();
    if (response.body === null) throw new Error("The run returned no response body");
    return await readRun(response.body, RUN_LIMITS, onLine);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, thrown: { name: "Error", message } };
  } finally {
    endRun(object.facets);
  }
}

export function endRun(facets: DurableObjectFacets): void {
  facets.abort(FACET, new Error("The run was ended"));
  facets.delete(FACET);
}
