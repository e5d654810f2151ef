import * as platform from "cloudflare:workers";
import { takeFollowConsole } from "berth-console";
import { takeWatchRun } from "berth-loop-guard";
import script from "script.js";
import type { ScriptProps, ScriptRequest } from "../script-request.ts";
import { connectToBrowser } from "./connect-to-browser.ts";
import { restoreGlobals } from "./globals.ts";
import { RunReport } from "./run-report.ts";

// Taken before the script runs, which is but a function while this is loaded.
const followConsole = takeFollowConsole();
const watchRun = takeWatchRun();
const { abortIsolate } = platform;
const schedule = setTimeout;
const unschedule = clearTimeout;

/** Ends what is left of the run that was begun last. */
let endRun: () => void = () => undefined;

/** The host means nothing: whoever answers knows one browser. */
const SOCKET = "https://browser.invalid/";

/** Frames of an error: those of the script may be below many of Playwright's. */
const DEEPEST_STACK = 50;

/** Close codes of connections that Playwright itself has ended. */
const OWN_CLOSURES = [1000, 1005];

/** Runs a caller's script beside a session's browser, and tells how it goes in the body of the answer. */
export class Script extends platform.WorkerEntrypoint<unknown, ScriptProps> {
  override async fetch(request: Request): Promise<Response> {
    const { timeoutMs, limits } = await request.json<ScriptRequest>();
    // Some code of the last run has made its changes last: nothing runs here any more.
    if (!restoreGlobals()) return new Response(null, { status: 410 });
    Error.stackTraceLimit = DEEPEST_STACK;
    const report = new RunReport(limits, endEverything);
    followConsole((stream, text) => report.log(stream, text));
    endRun = watchRun((error) => report.fail(error));
    void run(report, this.ctx.props, timeoutMs);
    return new Response(report.readable);
  }
}

/** Ends this Worker with whatever is still under way in it, and lets its memory go. No class: code could meddle with it. */
export const Retirement = Object.freeze({
  fetch(): Response {
    endRun();
    abortIsolate?.("retired");
    return new Response(null, { status: 204 });
  },
});

// The script can import this module, too.
Object.freeze(Script);
Object.freeze(Script.prototype);

async function run(report: RunReport, { sessionId, browser: endpoint }: ScriptProps, timeoutMs: number) {
  let because = ": the browser was not ready for the code; a page of it may be stuck";
  const timeUp = () => report.fail(new Error(`Execution timed out after ${timeoutMs}ms${because}`));
  schedule(timeUp, timeoutMs);
  const open = () => openSocket(endpoint, (error) => report.fail(error));
  try {
    const browser = await connectToBrowser(open, sessionId);
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = context.pages()[0] ?? (await context.newPage());
    because = "";
    report.succeed(await script(page, context, browser));
  } catch (error) {
    report.fail(error);
  }
}

/** @param onLost called when somebody else ends the connection, as the session's end does. */
async function openSocket(endpoint: Fetcher, onLost: (error: Error) => void): Promise<Response> {
  const response = await endpoint.fetch(SOCKET, { headers: { upgrade: "websocket" } });
  if (response.webSocket === null) {
    const { message } = await response.json<{ message: string }>();
    throw new Error(message);
  }
  response.webSocket.addEventListener("close", ({ code, reason }) => {
    if (!OWN_CLOSURES.includes(code))
      onLost(new Error(`The browser is gone: ${reason || "the connection was lost"}`));
  });
  return response;
}

/** Lets nothing of a run go on: whoever reads its report ends it, but not what it keeps with `waitUntil`. */
function endEverything(): void {
  endRun();
  for (let id = Number(schedule(() => undefined, 0)); id > 0; id -= 1) unschedule(id);
}
