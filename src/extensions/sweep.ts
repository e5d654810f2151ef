import { openDatabase } from "../database/client.ts";
import { logError } from "../log.ts";
import { zipKey } from "./extension-files.ts";
import { listUnusedExtensions, removeExtension } from "./store.ts";

/** Removes what is left of deleted extensions, once no session has them any more. */
export async function sweepExtensions(env: Env): Promise<void> {
  const database = openDatabase(env.DB);
  try {
    for (const { id, organizationId } of await listUnusedExtensions(database)) {
      await env.FILES.delete(zipKey(organizationId, id));
      await removeExtension(database, id);
    }
  } catch (error) {
    logError("sweep_step_failed", error);
  }
}
