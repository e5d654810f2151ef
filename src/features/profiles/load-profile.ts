import { notFound, ServiceError } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserState } from "../../platform/browser/index.ts";
import { contentKey, readContent } from "./profile-content.ts";
import { findProfileById } from "./store.ts";

/** A save may replace the content while it is read. */
const MAX_ATTEMPTS = 5;

/**
 * @returns undefined if nothing has been saved yet.
 * @throws ServiceError 404 if the profile is deleted, 500 if its content cannot be read.
 * @example const state = await loadProfile(env, scope, profileId); // { cookies: […], origins: […] }
 */
export async function loadProfile(
  env: Env,
  scope: ProjectScope,
  profileId: string,
): Promise<BrowserState | undefined> {
  const content = await fetchContent(env, scope, profileId);
  return content === undefined ? undefined : readContent(env, profileId, content);
}

export async function fetchContent(
  env: Env,
  scope: ProjectScope,
  profileId: string,
): Promise<Uint8Array | undefined> {
  const database = openDatabase(env.DB);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await findProfileById(database, scope, profileId);
    if (row === undefined) throw notFound("profile");
    if (row.contentId === null) return undefined;
    const object = await env.FILES.get(contentKey(scope.organizationId, profileId, row.contentId));
    if (object !== null) return object.bytes();
  }
  throw new ServiceError("internal_error", "The profile's content is lost", { shouldRetry: false });
}
