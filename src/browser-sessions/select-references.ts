import type { Database } from "../database/client.ts";
import { openDatabase } from "../database/client.ts";
import type { ProfileRow } from "../database/schema/profiles.ts";
import { type ExtensionSelection, selectExtensions } from "../extensions/select-extensions.ts";
import { touchExtensions } from "../extensions/store.ts";
import { selectProfile } from "../profiles/select-profile.ts";
import { touchProfile } from "../profiles/store.ts";
import { requireProxy } from "../proxies/select-proxy.ts";

/** What a caller selects for a browser of what is stored; exactly one of a selection's id and name is given. */
interface Selection {
  extensions?: readonly ExtensionSelection[];
  /** `""`, like null: none. */
  proxy_id?: string | null;
  profile?: { id?: string; name?: string };
}

/** The same, found. */
export interface SelectedReferences {
  extensionIds: string[];
  proxyId: string | null;
  profile: ProfileRow | null;
}

/**
 * Finds what is selected for a browser among what the organization has.
 *
 * @throws ServiceError 400 on the field of what is not there, or cannot be used.
 */
export async function selectReferences(
  env: Env,
  organizationId: string,
  { extensions, proxy_id, profile }: Selection,
): Promise<SelectedReferences> {
  const database = openDatabase(env.DB);
  const [extensionIds, found] = await Promise.all([
    selectExtensions(database, organizationId, extensions),
    profile === undefined ? null : selectProfile(database, organizationId, profile),
    proxy_id ? requireProxy(env, organizationId, proxy_id) : undefined,
  ]);
  return { extensionIds, proxyId: proxy_id || null, profile: found };
}

/** Notes that a session with these is made now. */
export async function touchReferences(
  database: Database,
  { extensionIds, profileId }: { extensionIds: string[]; profileId: string | null },
  at: number,
): Promise<void> {
  await Promise.all([
    touchExtensions(database, extensionIds, at),
    profileId === null ? undefined : touchProfile(database, profileId, at),
  ]);
}
