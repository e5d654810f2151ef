import type { BrowserState } from "../browser/index.ts";
import { newIdentifier } from "../common/identifiers.ts";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { storageFull } from "../organizations/index.ts";
import { contentKey, sealContent } from "./profile-content.ts";
import { swapContent } from "./store.ts";

/** What a session is told that ends after its profile was deleted. */
export class ProfileDeletedError extends Error {
  override readonly name = "ProfileDeletedError";

  constructor() {
    super("The profile has been deleted");
  }
}

/**
 * Makes a browser's state the content of a profile, whole: until the last step the content before is the profile's,
 * whatever fails. Of several saves at once the last one stays.
 *
 * @throws ProfileDeletedError, ServiceError 413 where the organization would store too much; nothing is saved then.
 */
export async function saveProfile(
  env: Env,
  owner: { organizationId: string; profileId: string },
  state: BrowserState,
): Promise<void> {
  const { organizationId, profileId } = owner;
  const contentId = newIdentifier();
  const content = await sealContent(env, profileId, state);
  const key = contentKey(organizationId, profileId, contentId);
  await env.FILES.put(key, content);
  // What becomes of the content when this fails, nobody knows: the sweep does away with what no row names.
  const { quotas } = readSettings(env);
  const swapped = await swapContent(
    openDatabase(env.DB),
    owner,
    { contentId, sizeBytes: content.length, at: Date.now() },
    quotas,
  );
  if (swapped === undefined || swapped === "full") {
    await env.FILES.delete(key);
    throw swapped === "full" ? storageFull(quotas) : new ProfileDeletedError();
  }
  if (swapped.before !== null) await env.FILES.delete(contentKey(organizationId, profileId, swapped.before));
}
