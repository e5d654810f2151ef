import { isAuthorized } from "./authorization.ts";
import { findForwardedPath } from "./paths.ts";

export interface AccountEnv {
  /** The browsers of this account. */
  BROWSER: { fetch(url: string, init: RequestInit): Promise<Response> };
  /** At least 32 bytes. Without it, every request is refused. */
  ACCOUNT_TOKEN?: string;
}

/** The host is not used: the binding looks only at the path. */
const ORIGIN = "https://browser.invalid";

/** Forwards Berth's calls to a browser binding. The answers are the binding's own, sockets included. */
export default {
  async fetch(request: Request, env: AccountEnv): Promise<Response> {
    if (!(await isAuthorized(request.headers.get("authorization"), env.ACCOUNT_TOKEN)))
      return refuse(401, "unauthorized", "The token is missing or wrong");
    const path = findForwardedPath(request);
    if (path === undefined) return refuse(404, "not_found", "There is no such operation");
    const upgrade = request.headers.get("upgrade");
    try {
      return await env.BROWSER.fetch(`${ORIGIN}${path}`, {
        method: request.method,
        // No other header, and above all not the token, reaches the binding.
        headers: upgrade === null ? {} : { upgrade },
        signal: request.signal,
      });
    } catch (error) {
      console.error(JSON.stringify({ event: "browser_platform_failed", error: String(error) }));
      return refuse(502, "browser_platform_failed", "The browser platform does not answer");
    }
  },
};

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}
