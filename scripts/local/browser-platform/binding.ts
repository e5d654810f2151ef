/** A Worker that implements the browser binding with the browsers of this machine. */

interface Env {
  /** The BrowserServer, on a Unix socket that pages cannot reach. */
  BROWSERS: { fetch(request: Request | string): Promise<Response> };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") return env.BROWSERS.fetch(request);
    const address = await env.BROWSERS.fetch(`http://browsers${new URL(request.url).pathname}/address`);
    if (!address.ok) return address;
    // The runtime forwards the frames natively, without JavaScript.
    return fetch(await address.text(), { headers: { upgrade: "websocket" } });
  },
};
