/** The browser binding of a local service, as a Worker: the platform's HTTP interface to the browsers of this machine. */

interface Env {
  /** The browsers, on a socket that no page can reach; see server.ts. */
  BROWSERS: { fetch(request: Request | string): Promise<Response> };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") return env.BROWSERS.fetch(request);
    const address = await env.BROWSERS.fetch(`http://browsers${new URL(request.url).pathname}/address`);
    if (!address.ok) return address;
    // The runtime hands this socket through natively: no frame passes through JavaScript here.
    return fetch(await address.text(), { headers: { upgrade: "websocket" } });
  },
};
