import { DurableObject, exports } from "cloudflare:workers";
import type { McpServer } from "@modelcontextprotocol/server";
import { findAPIKey } from "../../features/organizations/index.ts";
import { sessionObject } from "../../features/sessions/index.ts";
import { notFound, ServiceError } from "../../lib/common/errors.ts";
import { isRecord } from "../../lib/common/is-record.ts";
import { logError } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { idOfProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { toErrorResponse } from "../../lib/http/wire-error.ts";
import { APIClient } from "./api-client.ts";
import { newServer } from "./server.ts";
import { SessionBrowsers } from "./session-browsers.ts";
import { refuseParameters, Transport } from "./transport.ts";

/** An MCP session without a call for this long ends. */
const IDLE_MS = 15 * 60_000;

/** How often the session's age and key are checked. */
const CHECK_INTERVAL_MS = 60_000;

const MAX_INITIALIZE_LENGTH = 64 * 1024;

const RECORD_KEY = "session";

/** The header in which the Worker passes a {@link SessionOwner} to the object. Clients cannot set it. */
export const OWNER_HEADER = "berth-mcp-owner";

export interface SessionOwner extends ProjectScope {
  id: string;
  keyId: string;
}

interface MCPSessionRecord extends SessionOwner {
  /** The client's request to initialize, for the server of a restarted object. */
  initialize: string;
  usedAt: number;
  browserId?: string;
  hasEnded?: true;
}

/**
 * One MCP session, named by its id. It belongs to one API key, and owns the browser that its page tools use
 * by default. It ends by DELETE, when unused, or with its key; a restart of the object does not end it.
 */
export class MCPSession extends DurableObject<Env> {
  #record: MCPSessionRecord | undefined;
  #server: McpServer | undefined;
  #transport: Promise<Transport> | undefined;
  readonly #running = new Set<string>();
  readonly #browsers: SessionBrowsers;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#record = ctx.storage.kv.get<MCPSessionRecord>(RECORD_KEY);
    this.#browsers = new SessionBrowsers(env, ctx.id.toString(), {
      read: () => this.#record?.browserId,
      write: (browserId) => this.#update({ browserId }),
    });
  }

  override async fetch(request: Request): Promise<Response> {
    const { url, method, headers, signal } = request;
    const owner: SessionOwner = JSON.parse(headers.get(OWNER_HEADER) ?? "{}");
    const isNew = method === "POST" && !headers.has("mcp-session-id");
    const { organizationId, projectId, keyId, hasEnded } = this.#record ?? {};
    const isOfProject = organizationId === owner.organizationId && projectId === owner.projectId;
    const isOwner = isOfProject && keyId === owner.keyId && !hasEnded;
    if (!isNew && !isOwner) return toErrorResponse(notFound("MCP session"));
    if (method === "DELETE") {
      await this.#end();
      return new Response(null, { status: 204 });
    }
    const body = await request.text();
    if (isNew && body.length > MAX_INITIALIZE_LENGTH) {
      return toErrorResponse(new ServiceError("payload_too_large", "The request to initialize is too large"));
    }
    const refusal = refuseParameters(body);
    if (refusal !== undefined) return refusal;
    this.#transport ??= isNew ? this.#connect(owner.id) : this.#resume(owner.id);
    const transport = await this.#transport;
    this.#update({ usedAt: Date.now() });
    const response = await transport.handleRequest(new Request(url, { method, headers, body }));
    if (response.ok) signal.addEventListener("abort", () => cancelRequests(transport, body));
    if (isNew && transport.sessionId !== undefined) {
      this.#write({ ...owner, initialize: body, usedAt: Date.now() });
      await this.ctx.storage.setAlarm(Date.now() + CHECK_INTERVAL_MS);
    }
    return response;
  }

  override async alarm(): Promise<void> {
    const record = this.#record;
    if (record === undefined) return;
    await this.ctx.storage.setAlarm(Date.now() + CHECK_INTERVAL_MS);
    const isUsed = record.browserId !== undefined || this.#running.size > 0;
    if (this.#running.size > 0) this.#update({ usedAt: Date.now() });
    else this.#browsers.disconnectUnused();
    const isIdle = this.#running.size === 0 && Date.now() - record.usedAt >= IDLE_MS;
    const isOver = record.hasEnded || isIdle;
    if (isOver || (isUsed && !(await this.#isKeyValid(record).catch(() => true)))) await this.#end();
  }

  /** Initializes a server as the client did before the object was restarted. */
  async #resume(id: string): Promise<Transport> {
    const transport = await this.#connect(id);
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const init = { method: "POST", headers, body: this.#record?.initialize };
    await (await transport.handleRequest(new Request("https://mcp.invalid/", init))).text();
    return transport;
  }

  async #connect(id: string): Promise<Transport> {
    const transport = new Transport({ sessionIdGenerator: () => id });
    this.#server = newServer({
      browsers: this.#browsers,
      running: this.#running,
      endResponse: (requestId) => transport.closeSSEStream(requestId),
      newClient: (request, signal) => {
        const { origin } = new URL(request.url);
        const authorization = request.headers.get("authorization") ?? "";
        const owner: SessionOwner = JSON.parse(request.headers.get(OWNER_HEADER) ?? "{}");
        const project = idOfProject(owner);
        return new APIClient({ service: exports.default, origin, authorization, project }, signal);
      },
    });
    await this.#server.connect(transport);
    return transport;
  }

  async #isKeyValid({ organizationId, keyId }: MCPSessionRecord): Promise<boolean> {
    const database = openDatabase(this.env.DB);
    const key = await findAPIKey(database, { organizationId }, keyId);
    return key !== undefined && (key.expiresAt === null || key.expiresAt > Date.now());
  }

  /** Ends everything that the session holds. The alarm repeats it after a failure. */
  async #end(): Promise<void> {
    this.#update({ hasEnded: true });
    const record = this.#record;
    try {
      await this.#server?.close();
      await this.#browsers.close();
      if (record?.browserId !== undefined) {
        const { organizationId, projectId } = record;
        const caller = { organizationId, projectId, invocationId: null };
        const outcome = await sessionObject(this.env, record.browserId).end(caller, "deleted", record.keyId);
        if (!outcome.ok && outcome.error.code !== "not_found") throw ServiceError.fromRecord(outcome.error);
      }
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      this.#record = undefined;
    } catch (error) {
      logError("mcp_session_not_ended", error, { organization_id: record?.organizationId });
    }
  }

  /** @returns false when the session no longer exists. */
  #update(change: Partial<MCPSessionRecord>): boolean {
    if (this.#record === undefined || this.#record.hasEnded) return false;
    this.#write({ ...this.#record, ...change });
    return true;
  }

  #write(record: MCPSessionRecord): void {
    this.#record = record;
    this.ctx.storage.kv.put(RECORD_KEY, record);
  }
}

/** Cancels the calls of an HTTP request whose client disconnected, as it can no longer receive results. */
function cancelRequests(transport: Transport, body: string): void {
  for (const message of [JSON.parse(body)].flat()) {
    if (!isRecord(message) || (typeof message.id !== "string" && typeof message.id !== "number")) continue;
    const params = { requestId: message.id, reason: "The client disconnected" };
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }
}
