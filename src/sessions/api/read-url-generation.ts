import { openDatabase } from "../../database/client.ts";
import { findPublicRow } from "../queries.ts";
import { sessionObject } from "../stub.ts";

/** How often the URLs of a session were revoked. Its object outlives its row for as long as tokens are valid. */
export async function readURLGeneration(env: Env, sessionId: string): Promise<number> {
  const row = await findPublicRow(openDatabase(env.DB), sessionId);
  return row?.urlGeneration ?? sessionObject(env, sessionId).readURLGeneration();
}
