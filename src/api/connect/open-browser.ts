import type { Context } from "hono";
import { acquireFromPool } from "../../features/browser-pools/index.ts";
import {
  apiKeyOf,
  type CallerEnv,
  type CallerReach,
  isWithinReach,
  requireAPIKey,
} from "../../features/organizations/index.ts";
import {
  type AddressGrant,
  createSession,
  findLivingSession,
  findSession,
  openSessionSocket,
  sessionObject,
} from "../../features/sessions/index.ts";
import { notFound, ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import { regionOfRequest } from "../../lib/common/regions.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { requireUpgrade } from "../../lib/http/upgrade.ts";
import type { ConnectRequest } from "./request.ts";

/** Most clients give up after 30 seconds. */
const CLIENT_TIMEOUT_SECONDS = 30;

/** A session with the wanted name may begin or end at the same time. */
const MAX_ATTEMPTS = 3;

type ConnectContext = Context<CallerEnv>;

/** Connects to the browser of an open session, a pool or a new session. @returns the upgrade's response. */
export async function openBrowser(c: ConnectContext, request: ConnectRequest): Promise<Response> {
  requireUpgrade(c.req);
  const opening = openForClient(c, request);
  // The platform cancels the request of a disconnected caller, except for `waitUntil`.
  c.executionCtx.waitUntil(opening.catch(() => undefined));
  return opening;
}

async function openForClient(c: ConnectContext, request: ConnectRequest): Promise<Response> {
  const response = await open(c, request);
  const { webSocket } = response;
  if (webSocket !== null && c.req.raw.signal.aborted) {
    // An open socket would keep the session alive without a client.
    webSocket.accept();
    webSocket.close(1001, "the client has gone");
  }
  return response;
}

async function open(c: ConnectContext, request: ConnectRequest): Promise<Response> {
  if (request.kind === "existing") {
    const row = await findSession(openDatabase(c.env.DB), c.var.caller, request.sessionId, {
      includeEnded: false,
    });
    if (row === undefined) throw notFound("browser session");
    return openSocket(c, row);
  }
  const { name } = request.body;
  const make = () => (request.kind === "pool" ? acquire(c, request) : create(c, request));
  if (name === undefined) return make();
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MAX_ATTEMPTS;
    const row = await findUsableSession(c.env, c.var.caller, name);
    const response = row && (await openSocket(c, row));
    if (response !== undefined && (response.status !== 410 || isLast)) return response;
    try {
      return await make();
    } catch (error) {
      if (isLast || !(error instanceof ServiceError) || error.code !== "conflict") throw error;
    }
  }
}

/** Finds the session that occupies a name, and waits for its start. */
export async function findUsableSession(
  env: Env,
  caller: CallerReach,
  idOrName: string,
): Promise<BrowserSessionRow | undefined> {
  const database = openDatabase(env.DB);
  const byId = isIdentifier(idOrName)
    ? await findSession(database, caller, idOrName, { includeEnded: false })
    : undefined;
  const row = byId ?? (await findLivingSession(database, caller, { name: idOrName }));
  if (row === undefined || !isWithinReach(row, caller)) return undefined;
  return (await sessionObject(env, row.id).whenUsable()).ok ? row : undefined;
}

async function create(
  c: ConnectContext,
  { body, isKept, maxLifetimeMs }: Extract<ConnectRequest, { kind: "session" }>,
): Promise<Response> {
  const sockets: Promise<Response>[] = [];
  const row = await createSession(c.env, {
    caller: c.var.caller,
    apiKeyId: apiKeyOf(c.var.caller),
    body,
    idempotencyKey: undefined,
    near: regionOfRequest(c.req.raw),
    options: { endsWithConnection: !isKept, maxLifetimeMs },
    disconnected: c.req.raw.signal,
    // Saves one round trip to the session's object: it connects the client once it has started.
    onStarting: (starting) => {
      const opening = openSocket(c, starting, true);
      opening.catch(() => undefined);
      sockets.push(opening);
    },
  });
  return sockets[0] ?? openSocket(c, row);
}

async function acquire(
  c: ConnectContext,
  { pool, body }: Extract<ConnectRequest, { kind: "pool" }>,
): Promise<Response> {
  requireAPIKey(c.var.caller);
  const response = await acquireFromPool(c, {
    idOrName: pool,
    body,
    clientTimeoutSeconds: CLIENT_TIMEOUT_SECONDS,
    endsWithConnection: true,
    present: (row) => openSocket(c, row),
  });
  if (response === undefined) throw serviceUnavailable("No browser of the pool became idle in time");
  return response;
}

function openSocket(c: ConnectContext, row: BrowserSessionRow, isStarting = false): Promise<Response> {
  c.set("sessionId", row.id);
  return openSessionSocket(c.env, row.id, "/", grantOf(row), { isStarting });
}

/** The caller's key allows what the session's own URLs do. */
export function grantOf({ lease, urlGeneration }: BrowserSessionRow): AddressGrant {
  return { lease: lease ?? undefined, generation: urlGeneration };
}
