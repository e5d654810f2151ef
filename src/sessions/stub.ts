import type { AddressGrant } from "./access.ts";
import type { BrowserSession } from "./object.ts";

/** The object of the session with that id. Asking for one costs nothing until it is called. */
export function sessionObject(env: Env, sessionId: string): DurableObjectStub<BrowserSession> {
  return env.BROWSER_SESSION.getByName(sessionId);
}

/** The session object is called by name; the host of the URL means nothing to it. */
const OBJECT_ORIGIN = "https://session.invalid";

/**
 * Opens a socket to a session's object.
 *
 * @param grant what the caller's token is good for.
 * @param runId the run of code that the caller is, where it is one.
 */
export function openSessionSocket(
  env: Env,
  sessionId: string,
  path: string,
  { lease, generation }: AddressGrant,
  runId?: string,
): Promise<Response> {
  const url = new URL(path, OBJECT_ORIGIN);
  url.searchParams.set("generation", String(generation));
  if (lease !== undefined) url.searchParams.set("lease", String(lease));
  if (runId !== undefined) url.searchParams.set("run", runId);
  return sessionObject(env, sessionId).fetch(url, { headers: { upgrade: "websocket" } });
}
