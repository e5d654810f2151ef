/**
 * The main module of a Worker that runs an action. It exports only the class of the run's facet, which is
 * aborted after the run: to any other export the app could send requests that nothing ends.
 */
import { DurableObject } from "cloudflare:workers";
import { claimFollowConsole } from "berth-console";
import { claimWatchRun } from "berth-loop-guard";
import type { RunLimits } from "../run-limits.ts";
import { registeredApps } from "./registered-apps.ts";
import { RunReport } from "./run-report.ts";

const followConsole = claimFollowConsole();
const watchRun = claimWatchRun();
// Loaded after the claims above. What it logs while loading is buffered.
const app = await import("app.js");

export interface ActionRequest {
  appName: string;
  actionName: string;
  invocationId: string;
  payload: string | null;
  limits: RunLimits;
}

export class Action extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const actionRequest = await request.json<ActionRequest>();
    const report = new RunReport(actionRequest.limits);
    followConsole((stream, text) => report.log(stream, text));
    watchRun((error) => report.stop(error));
    void run(report, actionRequest);
    return new Response(report.readable);
  }
}

// The app can also import this module.
Object.freeze(Action);
Object.freeze(Action.prototype);

async function run(report: RunReport, { appName, actionName, invocationId, payload: json }: ActionRequest) {
  try {
    const action = registeredApps(app).get(appName)?.actions.get(actionName);
    if (action === undefined) throw new Error(`${appName} has no action ${actionName}`);
    const payload: unknown = json === null ? undefined : JSON.parse(json);
    report.succeed(await action.handler({ invocation_id: invocationId }, payload));
  } catch (error) {
    report.fail(error);
  }
}
