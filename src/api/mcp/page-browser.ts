import { WorkerEntrypoint } from "cloudflare:workers";

/** Everything that a page driver can reach: the browser of one session, by its `cdp_ws_url`. */
export class PageBrowser extends WorkerEntrypoint<Env, { cdpURL: string }> {
  override fetch(): Promise<Response> {
    const url = `${this.ctx.props.cdpURL.replace(/^ws/, "http")}&skip_hung_tabs=true`;
    return this.ctx.exports.default.fetch(url, { headers: { upgrade: "websocket" } });
  }
}
