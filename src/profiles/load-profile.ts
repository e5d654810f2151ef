import type { BrowserState } from "../browser/index.ts";
import { notFound, ServiceError } from "../common/errors.ts";
import { openDatabase } from "../database/client.ts";
import { contentKey, readContent } from "./profile-content.ts";
import { findProfileById } from "./store.ts";

/** How often a save may take the content away that was about to be read. */
const MAX_ATTEMPTS = 5;

/**
 * The state that a profile has; undefined when nothing has been saved.
 *
 * @throws ServiceError 404 when the profile is gone, 500 when its content cannot be read.
 */
export async function loadProfile(
  env: Env,
  organizationId: string,
  profileId: string,
): Promise<BrowserState | undefined> {
  const content = await fetchContent(env, organizationId, profileId);
  return content === undefined ? undefined : readContent(env, profileId, content);
}

/** The content of a profile as it is stored; undefined when nothing has been saved. @throws ServiceError 404, 500 */
export async function fetchContent(
  env: Env,
  organizationId: string,
  profileId: string,
): Promise<Uint8Array | undefined> {
  const database = openDatabase(env.DB);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await findProfileById(database, organizationId, profileId);
    if (row === undefined) throw notFound("profile");
    if (row.contentId === null) return undefined;
    const object = await env.FILES.get(contentKey(organizationId, profileId, row.contentId));
    if (object !== null) return object.bytes();
    // A save has just put another in its place.
  }
  throw new ServiceError("internal_error", "The profile's content is lost", { shouldRetry: false });
}
