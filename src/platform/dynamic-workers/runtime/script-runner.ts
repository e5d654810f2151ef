import * as platform from "cloudflare:workers";
import { claimFollowConsole } from "berth-console";
import { claimWatchRun } from "berth-loop-guard";
import script from "script.js";
import { readHungTabs } from "../../../lib/common/hung-tabs.ts";
import type { ScriptProps, ScriptRequest } from "../script-request.ts";
import { connectToBrowser } from "./connect-to-browser.ts";
import { restoreGlobals } from "./globals.ts";
import { RunReport } from "./run-report.ts";

// Claimed and saved before user code can replace them.
const followConsole = claimFollowConsole();
const watchRun = claimWatchRun();
const { abortIsolate } = platform;
const schedule = setTimeout;
const unschedule = clearTimeout;

let endRun: () => void = () => undefined;

const SOCKET_URL = "https://browser.invalid/";

/** The frames of the script may be below many of Playwright's. */
const STACK_TRACE_LIMIT = 50;

const NORMAL_CLOSE_CODES = [1000, 1005];

export class Script extends platform.WorkerEntrypoint<unknown, ScriptProps> {
  override async fetch(request: Request): Promise<Response> {
    const { timeoutMs, limits } = await request.json<ScriptRequest>();
    // The last script made permanent changes to globals, so the caller needs a new Worker.
    if (!restoreGlobals()) return new Response(null, { status: 410 });
    Error.stackTraceLimit = STACK_TRACE_LIMIT;
    const report = new RunReport(limits, stopEverything);
    followConsole((stream, text) => report.log(stream, text));
    endRun = watchRun((error) => report.stop(error));
    void run(report, this.ctx.props, timeoutMs);
    return new Response(report.readable);
  }
}

/** Aborts this Worker and frees its memory. Not a class, because the script could replace a method of one. */
export const Shutdown = Object.freeze({
  fetch(): Response {
    endRun();
    abortIsolate?.("retired");
    return new Response(null, { status: 204 });
  },
});

// The script can also import this module.
Object.freeze(Script);
Object.freeze(Script.prototype);

async function run(report: RunReport, { sessionId, browser: endpoint }: ScriptProps, timeoutMs: number) {
  let hint = ": the browser was not ready for the code; a page of it may be stuck";
  const onTimeout = () => report.fail(new Error(`Execution timed out after ${timeoutMs}ms${hint}`));
  schedule(onTimeout, timeoutMs);
  const open = async () => {
    const response = await openSocket(endpoint, (error) => report.fail(error));
    const hung = readHungTabs(response);
    if (hung.length > 0)
      report.log("stderr", `Tabs that do not respond are left out: ${hung.map(({ url }) => url).join(", ")}`);
    return response;
  };
  try {
    const browser = await connectToBrowser(open, sessionId);
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = context.pages()[0] ?? (await context.newPage());
    hint = "";
    report.succeed(await script(page, context, browser));
  } catch (error) {
    report.fail(error);
  }
}

async function openSocket(endpoint: Fetcher, onLost: (error: Error) => void): Promise<Response> {
  const response = await endpoint.fetch(SOCKET_URL, { headers: { upgrade: "websocket" } });
  if (response.webSocket === null) {
    const { message } = await response.json<{ message: string }>();
    throw new Error(message);
  }
  response.webSocket.addEventListener("close", ({ code, reason }) => {
    if (!NORMAL_CLOSE_CODES.includes(code))
      onLost(new Error(`The browser is gone: ${reason || "the connection was lost"}`));
  });
  return response;
}

/** Aborting the request would not stop timers and work that `waitUntil` keeps alive. */
function stopEverything(): void {
  endRun();
  for (let id = Number(schedule(() => undefined, 0)); id > 0; id -= 1) unschedule(id);
}
