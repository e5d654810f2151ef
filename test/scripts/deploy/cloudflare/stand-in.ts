import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { findRoute, REFUSALS } from "./routes.ts";
import { type AccountOptions, AccountState } from "./state.ts";

/** `reset`: nothing happens. `lost`: it happens, but the response is lost. */
export type FaultKind = "500" | "403" | "reset" | "lost";

const FAULTS = {
  // https://github.com/cloudflare/workers-sdk/issues/4724
  "500": { status: 500, code: 10_013, message: "workers.api.error.unknown" },
  "403": REFUSALS.notAllowed,
};

/** A local Cloudflare REST API for the real wrangler (CLOUDFLARE_API_BASE_URL). It keeps what is created. */
export class CloudflareStandIn implements AsyncDisposable {
  /** Also for files of the test. */
  readonly folder = mkdtempSync(join(tmpdir(), "cloudflare-"));
  readonly state: AccountState;
  /** All calls that an account's API received, without the account. */
  readonly calls: string[] = [];
  /** Requests to a deployed Worker. */
  readonly requests: string[] = [];
  /** How a call of this key fails; undefined: it succeeds. */
  faultOf: (call: string) => FaultKind | undefined = () => undefined;
  /** Answers requests to the deployed Worker. */
  respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
  readonly #server: Server;
  /** Calls that it does not know or cannot answer. They fail the test. */
  readonly #failures: string[] = [];

  private constructor(options: AccountOptions) {
    this.state = new AccountState(this.folder, options);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error) => {
        this.#failures.push(`${request.method} ${request.url}: ${error?.stack}`);
        response.destroy();
      });
    });
  }

  static async open(options: AccountOptions = {}): Promise<CloudflareStandIn> {
    const standIn = new CloudflareStandIn(options);
    standIn.#server.listen(0, "127.0.0.1");
    await once(standIn.#server, "listening");
    return standIn;
  }

  /** Variables for the scripts, which then reach nothing else. */
  get environment(): NodeJS.ProcessEnv {
    return {
      CLOUDFLARE_API_BASE_URL: `${this.#url}/client/v4`,
      CLOUDFLARE_API_TOKEN: this.state.token,
      WORKERS_DEV_URL: this.#url,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "workers-dev.mjs")}`,
    };
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    if (headers["cf-workers-preview-token"]) return this.state.forwardToPreview(request, response);
    if (!url.startsWith("/client/v4/")) {
      this.requests.push(`${method} ${url}`);
      return this.respond(request, response);
    }
    const body = await buffer(request);
    const { pathname, searchParams } = new URL(url, this.#url);
    const route = findRoute(method, pathname.slice("/client/v4".length));
    if (route === undefined) {
      this.#failures.push(`${method} ${pathname}`);
      return send(response, { status: 400, code: 7000, message: "No route for that URI" });
    }
    this.calls.push(route.call);
    const kind = this.faultOf(route.call);
    if (kind === "500" || kind === "403") return send(response, FAULTS[kind]);
    if (kind === "reset") return void response.destroy();
    const isAssets = route.call === "POST /workers/assets/upload";
    if (!isAssets && headers.authorization !== `Bearer ${this.state.token}`)
      return send(response, FAULTS["403"]);
    const answer = await route.answer(this.state, { body, headers, query: searchParams });
    if (kind === "lost") response.destroy();
    else send(response, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.state.dispose();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.#failures.length > 0) throw new Error(this.#failures.join("\n"));
  }
}

/** A result, or an error with Cloudflare's code. */
export type Answer = { result: unknown } | { status: number; code: number; message: string };

function send(response: ServerResponse, answer: Answer): void {
  const isError = "code" in answer;
  const errors = isError ? [{ code: answer.code, message: answer.message }] : [];
  const result = isError ? null : answer.result;
  response.writeHead(isError ? answer.status : 200, { "content-type": "application/json" });
  response.end(JSON.stringify({ success: !isError, errors, messages: [], result }));
}
