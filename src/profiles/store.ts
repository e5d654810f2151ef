import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../common/identifiers.ts";
import type { Database } from "../database/client.ts";
import { contains, isOneOf } from "../database/conditions.ts";
import { type ProfileRow, profiles } from "../database/schema/profiles.ts";
import { isUniqueViolation } from "../database/unique-violation.ts";
import type { PageRequest } from "../http/pagination.ts";
import { fitsStorageQuota, insertWithinQuota, type Quotas } from "../organizations/index.ts";

const isPresent = isNull(profiles.deletedAt);

/** What names a profile's content in R2. */
export type ProfileContent = Pick<ProfileRow, "id" | "organizationId" | "contentId">;

const contentColumns = {
  id: profiles.id,
  organizationId: profiles.organizationId,
  contentId: profiles.contentId,
};

/**
 * Inserts a profile; false when another one of the organization has its name.
 *
 * @throws ServiceError 429 at the limit of profiles.
 */
export async function insertProfile(database: Database, row: ProfileRow, quotas: Quotas): Promise<boolean> {
  return unlessTaken(async () => {
    await insertWithinQuota(database, "profiles", row, quotas);
  });
}

/** Renames a profile; false when another one of the organization has the name, or when it is gone. */
export async function renameProfile(
  database: Database,
  id: string,
  { name, at }: { name: string; at: number },
): Promise<boolean> {
  return unlessTaken(async () => {
    await database
      .update(profiles)
      .set({ name, updatedAt: at })
      .where(and(eq(profiles.id, id), isPresent));
  });
}

/** The organization's profile with that id. */
export async function findProfileById(
  database: Database,
  organizationId: string,
  id: string,
): Promise<ProfileRow | undefined> {
  return find(database, organizationId, eq(profiles.id, id));
}

/** The organization's profile with that name. */
export async function findProfileByName(
  database: Database,
  organizationId: string,
  name: string,
): Promise<ProfileRow | undefined> {
  return find(database, organizationId, eq(profiles.name, name));
}

/** The organization's profile with that id, else that name. */
export async function findProfile(
  database: Database,
  organizationId: string,
  idOrName: string,
): Promise<ProfileRow | undefined> {
  const byId = isIdentifier(idOrName) ? await findProfileById(database, organizationId, idOrName) : undefined;
  return byId ?? findProfileByName(database, organizationId, idOrName);
}

/** Profiles by their ids, deleted ones too as long as a session's row names them: what sessions show of theirs. */
export async function findProfilesOfSessions(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ProfileRow[]> {
  if (ids.length === 0) return [];
  return database
    .select()
    .from(profiles)
    .where(and(eq(profiles.organizationId, organizationId), isOneOf(profiles.id, ids)));
}

/** Newest first, ties by id; one row more than the page holds. */
export async function listProfiles(
  database: Database,
  organizationId: string,
  filter: { name?: string; query?: string },
  page: PageRequest,
): Promise<ProfileRow[]> {
  const { name, query } = filter;
  return database
    .select()
    .from(profiles)
    .where(
      and(
        eq(profiles.organizationId, organizationId),
        isPresent,
        name === undefined ? undefined : eq(profiles.name, name),
        query ? sql`(${profiles.id} = ${query} OR ${contains(profiles.name, query)})` : undefined,
      ),
    )
    .orderBy(desc(profiles.createdAt), desc(profiles.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** Notes that a session with this profile is made now. */
export async function touchProfile(database: Database, id: string, at: number): Promise<void> {
  await database.update(profiles).set({ lastUsedAt: at }).where(eq(profiles.id, id));
}

/**
 * Makes a content the profile's own, in one step.
 *
 * @returns the content that it replaces, null if there was none; and nothing is changed, undefined when the profile is
 * gone, "full" where the organization would store too much.
 */
export async function swapContent(
  database: Database,
  owner: { organizationId: string; profileId: string },
  content: Pick<ProfileRow, "sizeBytes"> & { contentId: string; at: number },
  quotas: Quotas,
): Promise<{ before: string | null } | "full" | undefined> {
  const { contentId, sizeBytes, at } = content;
  const isIt = and(
    eq(profiles.organizationId, owner.organizationId),
    eq(profiles.id, owner.profileId),
    isPresent,
  );
  // A transaction: no other save comes between the two.
  const fits = sql`${fitsStorageQuota(owner.organizationId, sizeBytes, quotas)} + ${profiles.sizeBytes}`;
  const [[before], changed] = await database.batch([
    database.select({ contentId: profiles.contentId }).from(profiles).where(isIt),
    database
      .update(profiles)
      .set({ contentId, sizeBytes, updatedAt: at })
      .where(and(isIt, fits))
      .returning({ id: profiles.id }),
  ]);
  if (before === undefined) return undefined;
  return changed.length > 0 ? { before: before.contentId } : "full";
}

/** Deletes a profile for callers, and for saves that are under way; undefined when there is none of that id. */
export async function markProfileDeleted(
  database: Database,
  id: string,
  at: number,
): Promise<ProfileContent | undefined> {
  const [row] = await database
    .update(profiles)
    .set({ deletedAt: at })
    .where(and(eq(profiles.id, id), isPresent))
    .returning(contentColumns);
  return row;
}

/** Deletes the profiles of organizations that are gone, up to that many. */
export async function markForsakenProfilesDeleted(
  database: Database,
  at: number,
  limit: number,
): Promise<ProfileContent[]> {
  const forsaken = sql`(SELECT id FROM profiles WHERE deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM organizations WHERE organizations.id = profiles.organization_id)
    LIMIT ${limit})`;
  return database
    .update(profiles)
    .set({ deletedAt: at })
    .where(inArray(profiles.id, forsaken))
    .returning(contentColumns);
}

/** Removes the rows of deleted profiles that no session's row names, up to that many. */
export async function removeUnusedProfiles(database: Database, limit: number): Promise<void> {
  const unused = sql`(SELECT id FROM profiles WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM browser_sessions
      WHERE browser_sessions.organization_id = profiles.organization_id
        AND browser_sessions.profile_id = profiles.id)
    LIMIT ${limit})`;
  await database.delete(profiles).where(and(inArray(profiles.id, unused), isNotNull(profiles.deletedAt)));
}

/** Of these contents, named by their profile's id, a slash and their own, those that profiles have now. */
export async function listKnownContents(database: Database, names: readonly string[]): Promise<Set<string>> {
  const profileIds = names.map((name) => name.slice(0, name.indexOf("/")));
  const rows = await database
    .select({ id: profiles.id, contentId: profiles.contentId })
    .from(profiles)
    .where(and(isOneOf(profiles.id, profileIds), isPresent));
  return new Set(rows.map(({ id, contentId }) => `${id}/${contentId}`));
}

async function find(
  database: Database,
  organizationId: string,
  wanted: SQL,
): Promise<ProfileRow | undefined> {
  const [row] = await database
    .select()
    .from(profiles)
    .where(and(eq(profiles.organizationId, organizationId), wanted, isPresent));
  return row;
}

async function unlessTaken(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
