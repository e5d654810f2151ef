import type { SessionMachine } from "./object.ts";

/** The Durable Object of a session's machine. It starts with the first call. */
export function machineObject(env: Env, sessionId: string): DurableObjectStub<SessionMachine> {
  return env.SESSION_MACHINE.getByName(sessionId);
}
