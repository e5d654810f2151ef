import { placedIn, type Region } from "../../lib/common/regions.ts";
import type { AddressGrant } from "./require-access.ts";

/**
 * The Durable Object of a session. It starts with the first call, in the given region.
 *
 * @example
 * unwrap(await sessionObject(env, sessionId).end(caller, "deleted"));
 */
export function sessionObject(env: Env, sessionId: string, region: Region | null = null) {
  return env.BROWSER_SESSION.getByName(sessionId, placedIn(region));
}

interface SocketOptions {
  runId?: string;
  isStarting?: boolean;
  skipsHungTabs?: boolean;
  request?: RequestInit;
}

/** Fetching an object needs a URL. Its host is ignored. */
const OBJECT_ORIGIN = "https://session.invalid";

/**
 * Opens a socket to a session's object.
 *
 * @param grant the grant of the caller's token.
 * @param options `runId` if the caller is a run of code, whether to wait for a start, which may be about to
 * begin, whether the client sees tabs that do not respond, and a request for a viewer's file instead of a
 * socket.
 */
export function openSessionSocket(
  env: Env,
  sessionId: string,
  path: string,
  { lease, generation, handoff }: AddressGrant,
  {
    runId,
    isStarting = false,
    skipsHungTabs = false,
    request = { headers: { upgrade: "websocket" } },
  }: SocketOptions = {},
): Promise<Response> {
  const url = new URL(path, OBJECT_ORIGIN);
  if (handoff !== undefined) url.searchParams.set("handoff", handoff);
  url.searchParams.set("generation", String(generation));
  if (lease !== undefined) url.searchParams.set("lease", String(lease));
  if (runId !== undefined) url.searchParams.set("run", runId);
  if (isStarting) url.searchParams.set("starting", "true");
  if (skipsHungTabs) url.searchParams.set("skip_hung_tabs", "true");
  return sessionObject(env, sessionId).fetch(url, request);
}
