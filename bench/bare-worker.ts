/** A minimal Worker with a browser binding: a baseline that includes the platform's own overhead. */
const ORIGIN = "https://browser.invalid/v1/devtools/browser";

export default {
  async fetch(request, { BROWSER }) {
    const url = new URL(request.url);
    if (url.pathname === "/health") return new Response("ok");
    if (request.method === "POST") return BROWSER.fetch(ORIGIN, { method: "POST" });
    const browser = `${ORIGIN}${url.pathname}`;
    if (request.method === "DELETE") return BROWSER.fetch(browser, { method: "DELETE" });
    return pipe(await BROWSER.fetch(browser, { headers: { upgrade: "websocket" } }));
  },
} satisfies ExportedHandler<{ BROWSER: BrowserRun }>;

/** Forwards frames between the client and the browser. */
function pipe({ webSocket: browser }: Response): Response {
  if (browser === null) return new Response("no socket", { status: 502 });
  const { 0: client, 1: server } = new WebSocketPair();
  browser.accept();
  server.accept();
  browser.addEventListener("message", ({ data }) => server.send(data));
  server.addEventListener("message", ({ data }) => browser.send(data));
  browser.addEventListener("close", () => server.close());
  server.addEventListener("close", () => browser.close());
  return new Response(null, { status: 101, webSocket: client });
}
