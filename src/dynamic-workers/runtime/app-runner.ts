import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { appRegistry } from "@onkernel/sdk";
import { takeFollowConsole } from "berth-console";
import { takeWatchRun } from "berth-loop-guard";
import type { RunLimits } from "../run-limits.ts";
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

type KernelApp = ReturnType<typeof appRegistry.getApps>[number];

/** An app that the code defines, and its actions. */
export interface AppDescription {
  name: string;
  actions: string[];
}

/** Tells which apps the code defines. */
export class Describe extends WorkerEntrypoint {
  override async fetch(): Promise<Response> {
    const described: AppDescription[] = [...registeredApps().values()].map(({ name, actions }) => ({
      name,
      actions: [...actions.keys()],
    }));
    return Response.json(described);
  }
}

/** Runs one action of an app, and tells how it goes in the body of the answer. */
export class Action extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const asked = await request.json<ActionRequest>();
    const report = new RunReport(asked.limits);
    followConsole((stream, text) => report.log(stream, text));
    watchRun((error) => report.fail(error));
    void run(report, asked);
    return new Response(report.readable);
  }
}

// The app can import this module, too.
for (const entrypoint of [Describe, Action]) {
  Object.freeze(entrypoint);
  Object.freeze(entrypoint.prototype);
}

async function run(report: RunReport, asked: ActionRequest): Promise<void> {
  try {
    const action = registeredApps().get(asked.appName)?.actions.get(asked.actionName);
    if (action === undefined) throw new Error(`${asked.appName} has no action ${asked.actionName}`);
    const payload: unknown = asked.payload === null ? undefined : JSON.parse(asked.payload);
    report.succeed(await action.handler({ invocation_id: asked.invocationId }, payload));
  } catch (error) {
    report.fail(error);
  }
}

/** The apps that this SDK knows of, and those of a copy of the SDK that the code brought along, if it exports them. */
function registeredApps(): Map<string, Pick<KernelApp, "name" | "actions">> {
  const exported = Object.values(app).filter(isApp);
  return new Map([...exported, ...appRegistry.getApps()].map((found) => [found.name, found]));
}

function isApp(value: unknown): value is Pick<KernelApp, "name" | "actions"> {
  if (typeof value !== "object" || value === null || !("name" in value) || !("actions" in value))
    return false;
  return typeof value.name === "string" && value.actions instanceof Map;
}
