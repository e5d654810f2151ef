import { WorkerEntrypoint } from "cloudflare:workers";
import type { Browser } from "@cloudflare/playwright";
import { newConsole } from "berth-console";
import { watchedRun } from "berth-loop-guard";
import script from "script.js";
import type { RunLimits } from "../run-messages.ts";
import { connectToBrowser } from "./connect-to-browser.ts";
import { RunReport } from "./run-report.ts";

export interface ScriptProps {
  sessionId: string;
  /** Reaches the browser of that session, and nothing else. */
  browser: Fetcher;
}

export interface ScriptRequest {
  timeoutMs: number;
  limits: RunLimits;
}

/** The host means nothing: whoever answers knows one browser. */
const SOCKET = "https://browser.invalid/";

/** How long a browser may take to take leave of a run. */
const LEAVE_MS = 1000;

/** Runs a caller's script beside a session's browser, and tells how it goes in the body of the answer. */
export class Script extends WorkerEntrypoint<unknown, ScriptProps> {
  override async fetch(request: Request): Promise<Response> {
    const { timeoutMs, limits } = await request.json<ScriptRequest>();
    const report = new RunReport(limits);
    void watchedRun.run(report, () => run(report, this.ctx.props, timeoutMs));
    return new Response(report.readable);
  }
}

async function run(report: RunReport, { sessionId, browser: endpoint }: ScriptProps, timeoutMs: number) {
  const timer = setTimeout(
    () => report.fail(new Error(`Execution timed out after ${timeoutMs}ms`)),
    timeoutMs,
  );
  let browser: Browser | undefined;
  try {
    browser = await connectToBrowser(
      () => endpoint.fetch(SOCKET, { headers: { upgrade: "websocket" } }),
      sessionId,
    );
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = context.pages()[0] ?? (await context.newPage());
    const console = newConsole((stream, text) => report.log(stream, text));
    const value = await Promise.race([script(page, context, browser, console), report.ended]);
    await leave(browser);
    report.succeed(value);
  } catch (error) {
    if (browser !== undefined) await leave(browser);
    report.fail(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets go of the browser, which lives on. */
async function leave(browser: Browser): Promise<void> {
  const left = browser.close().catch(() => undefined);
  await Promise.race([left, new Promise((resolve) => setTimeout(resolve, LEAVE_MS))]);
}
