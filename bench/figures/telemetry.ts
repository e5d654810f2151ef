import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type Kernel from "@onkernel/sdk";
import { z } from "zod";
import { DevToolsClient } from "../devtools-client.ts";
import { type Pair, timePair } from "../samples.ts";
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

const addressSchema = z.object({ port: z.number() });

/** The time to load a page of 100 requests with telemetry, compared with a session that records nothing. */
export async function measureTelemetry(kernel: Kernel): Promise<Row[]> {
  const server = createServer(({ url = "" }, response) => {
    const isPicture = url.endsWith(".gif");
    response.setHeader("content-type", isPicture ? "image/gif" : "text/html");
    response.setHeader("cache-control", "no-store");
    response.end(isPicture ? PICTURE : PAGE);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const figure = "a page of 100 requests";
    const baseline = "a session without telemetry";
    const byDefault = await compare(kernel, server, undefined);
    const everything = await compare(kernel, server, EVERYTHING);
    return [
      { figure: `${figure}, default events`, baseline, target: "1.02x", ...byDefault },
      { figure: `${figure}, everything`, baseline, target: "1.3x", ...everything },
    ];
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function compare(kernel: Kernel, server: Server, telemetry: object | undefined): Promise<Pair> {
  const { port } = addressSchema.parse(server.address());
  const open = async (config: object | undefined) => {
    const session = await kernel.browsers.create({ timeout_seconds: 600, telemetry: config });
    const client = await DevToolsClient.connect(session.cdp_ws_url);
    await client.openPage();
    await client.sendToPage("Page.navigate", { url: `http://127.0.0.1:${port}/start` });
    await client.evaluate("new Promise((resolve) => addEventListener('load', resolve))");
    return { id: session.session_id, client, load: () => client.evaluate(LOAD) };
  };
  const recorded = await open(telemetry);
  const plain = await open({ enabled: false });
  try {
    return await timePair(ROUNDS, { berth: recorded.load, direct: plain.load });
  } finally {
    for (const { id, client } of [recorded, plain]) {
      client.close();
      await kernel.browsers.deleteByID(id);
    }
  }
}
