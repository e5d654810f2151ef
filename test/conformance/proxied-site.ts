import type { IncomingMessage, ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import { serveHTTP } from "../outside/local-server.ts";
import type { Endpoint } from "./proxy-server.ts";

/** A page that makes every kind of request. */
const KINDS = `<!doctype html><title>Kinds</title><link rel="icon" href="/icon"><img src="/image">
<iframe src="/frame"></iframe><iframe src="http://other.test/other-frame"></iframe>
<script>
  const done = (async () => {
    await fetch("/fetch");
    await fetch("http://other.test/cross-fetch", { mode: "no-cors" });
    navigator.sendBeacon("/beacon", "x");
    await new Promise((resolve) => {
      new Worker("/worker.js").onmessage = resolve;
    });
    await navigator.serviceWorker.register("/service-worker.js");
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 10));
    await fetch("/through-service-worker");
    await new Promise((resolve, reject) => {
      const socket = new WebSocket("ws://" + location.host + "/socket");
      socket.onmessage = resolve;
      socket.onerror = reject;
    });
    window.open("/popup");
    return "all";
  })();
</script>`;

/** The paths that `/kinds` requests. */
export const REQUEST_PATHS = [
  "/kinds",
  "/image",
  "/frame",
  "/other-frame",
  "/fetch",
  "/cross-fetch",
  "/beacon",
  "/worker.js",
  "/from-worker",
  "/service-worker.js",
  "/from-service-worker",
  "/socket",
  "/popup",
];

const SCRIPTS: Record<string, string> = {
  "/worker.js": `fetch("/from-worker").then(() => postMessage("done"));`,
  "/service-worker.js": `
    addEventListener("install", () => skipWaiting());
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", (event) => {
      if (event.request.url.endsWith("/through-service-worker")) event.respondWith(fetch("/from-service-worker"));
    });`,
};

export interface ProxiedSite extends AsyncDisposable {
  /** Requests that reach this origin directly are recorded in `directPaths`. */
  origin: string;
  port: number;
  /** Resolves every host to the address that only proxies know. */
  resolve: () => Endpoint;
  proxiedPaths: string[];
  directPaths: string[];
}

/** Opens a site at two addresses: one for browsers, and one that only proxies know. */
export async function openProxiedSite(): Promise<ProxiedSite> {
  const [proxiedPaths, directPaths]: [string[], string[]] = [[], []];
  const [inside, outside] = await Promise.all([listen(proxiedPaths), listen(directPaths)]);
  return {
    origin: outside.origin,
    port: outside.port,
    resolve: () => ({ host: "127.0.0.1", port: inside.port }),
    proxiedPaths,
    directPaths,
    async [Symbol.asyncDispose]() {
      await Promise.all([inside.close(), outside.close()]);
    },
  };
}

async function listen(paths: string[]) {
  const site = await serveHTTP((request, response) => {
    const path = new URL(request.url ?? "/", "http://site.invalid").pathname;
    paths.push(path);
    answer(path, request, response);
  });
  const sockets = new WebSocketServer({ server: site.server });
  sockets.on("connection", (socket, request) => {
    paths.push(request.url ?? "");
    socket.send("hello");
  });
  return {
    ...site,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await site[Symbol.asyncDispose]();
    },
  };
}

function answer(path: string, request: IncomingMessage, response: ServerResponse): void {
  const script = SCRIPTS[path];
  if (script !== undefined) {
    response.setHeader("content-type", "text/javascript").end(script);
    return;
  }
  if (path === "/download") {
    response.setHeader("content-disposition", 'attachment; filename="report.txt"').end("a report");
    return;
  }
  response.setHeader("content-type", "text/html");
  // Without this link Chrome requests /favicon.ico, even after the page is left.
  response.end(
    path === "/kinds"
      ? KINDS
      : `<!doctype html><link rel="icon" href="data:,"><title>${path}</title><p>${request.headers.host}`,
  );
}
