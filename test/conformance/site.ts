import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

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

export interface Site extends AsyncDisposable {
  origin: string;
}

/** Opens a local site with a button, a form, a download and a popup. */
export async function openSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site.invalid");
    handle(url, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
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
