import type { BrowserSession } from "./browser-session.ts";

/** The object of the session with that id. Asking for one costs nothing until it is called. */
export function sessionObject(env: Env, sessionId: string): DurableObjectStub<BrowserSession> {
  return env.BROWSER_SESSION.getByName(sessionId);
}
