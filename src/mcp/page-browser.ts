import { WorkerEntrypoint } from "cloudflare:workers";

interface PageBrowserProps {
  /** The session's `cdp_ws_url`. */
  cdpURL: string;
}

/** All that a page driver can reach: the browser of one session. */
export class PageBrowser extends WorkerEntrypoint<Env, PageBrowserProps> {
  override fetch(): Promise<Response> {
    const url = this.ctx.props.cdpURL.replace(/^ws/, "http");
    return this.ctx.exports.default.fetch(url, { headers: { upgrade: "websocket" } });
  }
}
