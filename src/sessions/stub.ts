import type { BrowserSession } from "./object.ts";
import type { AddressGrant } from "./require-access.ts";

/**
 * The Durable Object of a session. It starts with the first call.
 *
 * @example
 * unwrap(await sessionObject(env, sessionId).end(caller, "deleted"));
 */
export function sessionObject(env: Env, sessionId: string): DurableObjectStub<BrowserSession> {
  return env.BROWSER_SESSION.getByName(sessionId);
}

/** Fetching an object needs a URL. Its host is ignored. */
const OBJECT_ORIGIN = "https://session.invalid";

/**
 * Opens a socket to a session's object.
 *
 * @param grant the grant of the caller's token.
 * @param runId present if the caller is a run of code.
 * @param request for a viewer's file instead of a socket.
 */
export function openSessionSocket(
  env: Env,
  sessionId: string,
  path: string,
  { lease, generation, handoff }: AddressGrant,
  runId?: string,
  request: RequestInit = { headers: { upgrade: "websocket" } },
): Promise<Response> {
  const url = new URL(path, OBJECT_ORIGIN);
  if (handoff !== undefined) url.searchParams.set("handoff", handoff);
  url.searchParams.set("generation", String(generation));
  if (lease !== undefined) url.searchParams.set("lease", String(lease));
  if (runId !== undefined) url.searchParams.set("run", runId);
  return sessionObject(env, sessionId).fetch(url, request);
}
