import { openDatabase } from "../../../lib/database/client.ts";
import { findURLGeneration } from "../queries.ts";
import { sessionObject } from "../stub.ts";

/** How often a session's URLs were revoked. Its object outlives its row for as long as tokens are valid. */
export async function readURLGeneration(env: Env, sessionId: string): Promise<number> {
  const generation = await findURLGeneration(openDatabase(env.DB), sessionId);
  return generation ?? sessionObject(env, sessionId).readURLGeneration();
}
