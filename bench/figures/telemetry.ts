import type Kernel from "@onkernel/sdk";
import { openServer } from "../../scripts/local/http-server.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { type Pair, timePair } from "../samples.ts";
import { openSession } from "../session.ts";
import type { Row } from "../table.ts";

const ROUNDS = 60;

const CATEGORIES = ["console", "network", "page", "interaction", "screenshot"];
const EVERYTHING = {
  enabled: true,
  browser: Object.fromEntries(CATEGORIES.map((category) => [category, { enabled: true }])),
};

const PAGE = `<!doctype html><title>A page of 100 requests</title>${Array.from(
  { length: 99 },
  (_, index) => `<img src="/${index}.gif" alt="">`,
).join("")}`;
// Chromium gives each SVG picture a page of its own, whose time varies more than telemetry costs.
const PICTURE = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Loads the page in a frame, so that the time ends with its load event. */
const LOAD = `new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => { frame.remove(); resolve(); };
  frame.src = "/page?" + Math.random();
  document.body.append(frame);
})`;

/** The time to load a page of 100 requests with telemetry, compared with a session that records nothing. */
export async function measureTelemetry(kernel: Kernel): Promise<Row[]> {
  await using site = await openServer(({ url = "" }, response) => {
    const isPicture = url.endsWith(".gif");
    response.setHeader("content-type", isPicture ? "image/gif" : "text/html");
    response.setHeader("cache-control", "no-store");
    response.end(isPicture ? PICTURE : PAGE);
  });
  const figure = "a page of 100 requests";
  const baseline = "a session without telemetry";
  const byDefault = await compare(kernel, site.url, undefined);
  const everything = await compare(kernel, site.url, EVERYTHING);
  return [
    { figure: `${figure}, default events`, baseline, target: "1.02x", ...byDefault },
    { figure: `${figure}, everything`, baseline, target: "1.3x", ...everything },
  ];
}

async function compare(kernel: Kernel, site: string, telemetry: object | undefined): Promise<Pair> {
  await using cleanUp = new AsyncDisposableStack();
  const open = async (config: object | undefined) => {
    const session = cleanUp.use(await openSession(kernel, { telemetry: config }));
    const client = cleanUp.adopt(await DevToolsClient.connect(session.cdp_ws_url), (opened) =>
      opened.close(),
    );
    await client.openPage();
    await client.sendToPage("Page.navigate", { url: `${site}/start` });
    await client.evaluate("new Promise((resolve) => addEventListener('load', resolve))");
    return () => client.evaluate(LOAD);
  };
  return await timePair(ROUNDS, { berth: await open(telemetry), direct: await open({ enabled: false }) });
}
