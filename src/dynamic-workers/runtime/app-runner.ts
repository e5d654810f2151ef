/**
 * The main module of a Worker that runs an action. It exports the class of the run's facet, which is ended for good, and
 * nothing else: to whatever else it exported, the app could make requests of its own, which end with nobody.
 */
import { DurableObject } from "cloudflare:workers";
import { takeFollowConsole } from "berth-console";
import { takeWatchRun } from "berth-loop-guard";
import type { RunLimits } from "../run-limits.ts";
import { registeredApps } from "./registered-apps.ts";
import { RunReport } from "./run-report.ts";

const followConsole = takeFollowConsole();
const watchRun = takeWatchRun();
// Not before: the app would take them. What it logs while it loads is kept for whoever follows.
const app = await import("app.js");

export interface ActionRequest {
  appName: string;
  actionName: string;
  invocationId: string;
  /** JSON; null: there is none. */
  payload: string | null;
  limits: RunLimits;
}

/** Runs one action of an app, and tells how it goes in the body of the answer. */
export class Action extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const asked = await request.json<ActionRequest>();
    const report = new RunReport(asked.limits);
    followConsole((stream, text) => report.log(stream, text));
    watchRun((error) => report.stop(error));
    void run(report, asked);
    return new Response(report.readable);
  }
}

// The app can import this module, too.
Object.freeze(Action);
Object.freeze(Action.prototype);

async function run(report: RunReport, asked: ActionRequest): Promise<void> {
  try {
    const action = registeredApps(app).get(asked.appName)?.actions.get(asked.actionName);
    if (action === undefined) throw new Error(`${asked.appName} has no action ${asked.actionName}`);
    const payload: unknown = asked.payload === null ? undefined : JSON.parse(asked.payload);
    report.succeed(await action.handler({ invocation_id: asked.invocationId }, payload));
  } catch (error) {
    report.fail(error);
  }
}
