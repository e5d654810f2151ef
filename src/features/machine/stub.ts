import { placedIn, type Region } from "../../lib/common/regions.ts";

/** The Durable Object of a session's machine. It starts with the first call, in the given region. */
export function machineObject(env: Env, sessionId: string, region: Region | null = null) {
  return env.SESSION_MACHINE.getByName(sessionId, placedIn(region));
}
