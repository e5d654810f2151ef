import { newIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { BrowserState } from "../../platform/browser/index.ts";
import { storageFull } from "../organizations/index.ts";
import { contentKey, encryptContent } from "./profile-content.ts";
import { replaceContent } from "./store.ts";

export class ProfileDeletedError extends Error {
  override readonly name = "ProfileDeletedError";

  constructor() {
    super("The profile has been deleted");
  }
}

/**
 * Replaces the content of a profile atomically. The last of several concurrent saves wins.
 *
 * @throws ProfileDeletedError, and ServiceError 413 if the organization would store too much.
 */
export async function saveProfile(
  env: Env,
  owner: { organizationId: string; profileId: string },
  state: BrowserState,
): Promise<void> {
  const { organizationId, profileId } = owner;
  const contentId = newIdentifier();
  const content = await encryptContent(env, profileId, state);
  const key = contentKey(organizationId, profileId, contentId);
  await env.FILES.put(key, content);
  // If this fails, the row may or may not have the content; the sweep deletes it if not.
  const { quotas } = readSettings(env);
  const replaced = await replaceContent(
    openDatabase(env.DB),
    owner,
    { contentId, sizeBytes: content.length, at: Date.now() },
    quotas,
  );
  if (replaced === undefined || replaced === "full") {
    await env.FILES.delete(key);
    throw replaced === "full" ? storageFull(quotas) : new ProfileDeletedError();
  }
  if (replaced.previous !== null)
    await env.FILES.delete(contentKey(organizationId, profileId, replaced.previous));
}
