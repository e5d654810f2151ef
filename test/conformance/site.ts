import type { ServerResponse } from "node:http";
import { type LocalServer, serveHTTP } from "../outside/local-server.ts";

/** The content of `/download`. */
export const DOWNLOAD_CONTENT = "first line\nsecond line, with ünïcode\n";

const HOME = `<!doctype html><title>Home</title>
<h1>Home</h1>
<button id="count" onclick="this.textContent = Number(this.textContent) + 1">0</button>
<form action="/greet"><input name="who" aria-label="Who"><button id="greet">Greet</button></form>
<a id="download" href="/download">download</a>
<a id="popup" href="/popup" target="_blank" rel="opener">popup</a>`;

const PAGES: Readonly<Record<string, (url: URL) => string>> = {
  "/": () => HOME,
  "/greet": (url) => `<!doctype html><title>Greeting</title><p id="greeting">${greeting(url)}</p>`,
  "/popup": () => "<!doctype html><title>Popup</title><p>I was opened.</p>",
};

/** Opens a local site with a button, a form, a download and a popup. */
export function openSite(): Promise<LocalServer> {
  return serveHTTP((request, response) => {
    const url = new URL(request.url ?? "/", "http://site.invalid");
    handle(url, response);
  });
}

function handle(url: URL, response: ServerResponse): void {
  const page = PAGES[url.pathname];
  if (page !== undefined) {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page(url));
  } else if (url.pathname === "/download") {
    response.setHeader("content-disposition", 'attachment; filename="report.txt"');
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(DOWNLOAD_CONTENT);
  } else {
    response.statusCode = 404;
    response.end();
  }
}

function greeting(url: URL): string {
  return `Hello, ${(url.searchParams.get("who") ?? "").replace(/[^\w ]/g, "")}`;
}
