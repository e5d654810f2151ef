import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openServer } from "../../scripts/local/http-server.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";
import type { Service } from "../../test/conformance/service.ts";
import { pairOf, time, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const FIRST_CALLS = 6;
const CALLS = 60;

const PLAYWRIGHT_MCP = join(import.meta.dirname, "../../node_modules/@playwright/mcp/cli.js");
const BASELINE = "Playwright MCP with Chrome";

const LINKS = Array.from({ length: 200 }, (_, index) => `<li><a href="/${index}">Link ${index + 1}</a></li>`);
const PAGE = `<!doctype html><title>Links</title><link rel="stylesheet" href="/style.css"><h1>Links</h1>
<ul>${LINKS.join("")}</ul><script src="/script.js"></script>`;

const FILES: Record<string, [type: string, text: string]> = {
  "/style.css": ["text/css", "li { margin: 4px }"],
  "/script.js": [
    "text/javascript",
    'addEventListener("load", () => { document.body.dataset.loaded = "true" })',
  ],
};

/**
 * Opening a page of 200 links, a style sheet and a script with `browser_navigate`, compared with Playwright
 * MCP, which is a process here and launches Chrome itself. First calls include the browser's launch.
 *
 * @param service allows private addresses. @param chrome path of Chrome.
 */
export async function measureMCP(service: Service, chrome: string): Promise<Row[]> {
  await using site = await openServer((request, response) => {
    const [type, text] = FILES[request.url ?? ""] ?? ["text/html", PAGE];
    response.writeHead(200, { "content-type": type }).end(text);
  });
  using cleanUp = new DisposableStack();
  // Playwright MCP writes snapshots to files where it runs.
  const folder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  const first = { berth: [] as number[], direct: [] as number[] };
  for (let round = 0; round < FIRST_CALLS; round += 1) {
    await using berth = await openBerth(service);
    await using direct = await openPlaywright(chrome, folder);
    first.berth.push(await time(() => berth.navigate(site.url)));
    first.direct.push(await time(() => direct.navigate(site.url)));
  }
  await using berth = await openBerth(service);
  await using direct = await openPlaywright(chrome, folder);
  const later = await timePair(CALLS, {
    berth: () => berth.navigate(site.url),
    direct: () => direct.navigate(site.url),
  });
  return [
    { figure: "MCP browser_navigate, first call", baseline: BASELINE, ...pairOf(first.berth, first.direct) },
    { figure: "MCP browser_navigate", baseline: BASELINE, target: "1.2x", ...later },
  ];
}

function openBerth({ baseURL, apiKey }: Service) {
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${baseURL}/mcp`), { requestInit });
  return openClient(transport, () => transport.terminateSession());
}

function openPlaywright(chrome: string, cwd: string) {
  const options = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chrome];
  const server = { command: process.execPath, args: [PLAYWRIGHT_MCP, ...options], cwd };
  return openClient(new StdioClientTransport({ ...server, stderr: "ignore" }));
}

/** A client of an MCP server. Its end ends the server's session and browser. */
async function openClient(transport: Transport, endSession = async () => {}) {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  return {
    async navigate(url: string): Promise<void> {
      const answer = await client.callTool({ name: "browser_navigate", arguments: { url } });
      const text = JSON.stringify(answer.content);
      if (!text.includes("Page Title: Links") || !text.includes("### Snapshot")) throw new Error(text);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await endSession();
      await client.close();
    },
  };
}
