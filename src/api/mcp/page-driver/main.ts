/** Runs in a Dynamic Worker, beside the browser of an MCP session. */
import * as platform from "cloudflare:workers";
import { type HungTab, readHungTabs } from "../../../lib/common/hung-tabs.ts";
import { connectToBrowser } from "../../../platform/dynamic-workers/runtime/connect-to-browser.ts";
import type { PageAnswer, PageCall } from "../page-schemas.ts";
import { MAX_RESULT_LENGTH } from "../result-store.ts";
import { PageDriver } from "./driver.ts";
import { toLine } from "./entry-log.ts";

const BROWSER_URL = "https://browser.invalid/";

/** Playwright waits for every page of the browser. */
const CONNECT_TIMEOUT_MS = 30_000;

export interface PagesProps {
  sessionId: string;
  browser: Fetcher;
  /** The tab that the connection before this one used last. */
  tab: string | undefined;
}

/** Serves calls of page tools over a WebSocket, one by one. The browser is connected while it is open. */
export class Pages extends platform.WorkerEntrypoint<unknown, PagesProps> {
  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const { sessionId, browser: endpoint, tab } = this.ctx.props;
    let hung: HungTab[] = [];
    let driver: PageDriver | undefined;
    const open = async () => {
      const response = await endpoint.fetch(BROWSER_URL, { headers: { upgrade: "websocket" } });
      hung = readHungTabs(response);
      return response;
    };
    const connected = connectToBrowser(open, sessionId);
    const timeout = setTimeout(() => server.close(1011, "a page does not respond"), CONNECT_TIMEOUT_MS);
    const driving = connected.then((browser) => {
      clearTimeout(timeout);
      browser.on("disconnected", () => server.close(1011, "the browser is gone"));
      driver = new PageDriver(browser, hung, tab);
      return driver;
    });
    let previous: Promise<unknown> = driving.catch(() => undefined);
    server.addEventListener("message", ({ data }) => {
      const call: PageCall = JSON.parse(String(data));
      previous = previous
        .then(async () => (await driving).call(call))
        .then(({ text = "", ...output }): PageAnswer => {
          return { id: call.id, ...output, text: text.slice(0, MAX_RESULT_LENGTH) };
        })
        .catch((error): PageAnswer => ({ id: call.id, error: toLine(describe(error)) }))
        .then((answer) => server.send(JSON.stringify({ ...answer, tab: driver?.tab })))
        // The caller has gone.
        .catch(() => undefined);
    });
    server.addEventListener("close", () => {
      clearTimeout(timeout);
      connected.then((browser) => browser.close()).catch(() => undefined);
    });
    return new Response(null, { status: 101, webSocket: client });
  }
}

/** Aborts this Worker and frees its memory. */
export const Shutdown = {
  fetch(): Response {
    platform.abortIsolate?.("retired");
    return new Response(null, { status: 204 });
  },
};

/** Without the colours that Playwright adds. */
function describe(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/\p{Cc}\[[\d;]*m/gu, "");
}
