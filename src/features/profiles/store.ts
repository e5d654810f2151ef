import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import type { Database } from "../../lib/database/client.ts";
import { contains, isOneOf } from "../../lib/database/conditions.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { type ProfileRow, profiles } from "../../lib/database/schema/profiles.ts";
import { unlessNameTaken } from "../../lib/database/unique-violation.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import {
  fitsStorageQuota,
  insertWithinQuota,
  isKnownOrganization,
  type Quotas,
} from "../organizations/index.ts";

const isPresent = isNull(profiles.deletedAt);
const COUNTED = { kind: "profiles", table: profiles, isCounted: isPresent } as const;

export type ProfileContent = Pick<ProfileRow, "id" | "organizationId" | "contentId">;

const contentColumns = {
  id: profiles.id,
  organizationId: profiles.organizationId,
  contentId: profiles.contentId,
};

/** @returns false if the name is taken. @throws ServiceError 429 at the quota. */
export async function insertProfile(database: Database, row: ProfileRow, quotas: Quotas): Promise<boolean> {
  return (await unlessNameTaken(() => insertWithinQuota(database, COUNTED, row, quotas))) !== "name-taken";
}

/** @returns false if the name is taken. */
export async function renameProfile(
  database: Database,
  id: string,
  { name, at }: { name: string; at: number },
): Promise<boolean> {
  const rename = database
    .update(profiles)
    .set({ name, updatedAt: at })
    .where(and(eq(profiles.id, id), isPresent));
  return (await unlessNameTaken(() => rename.execute())) !== "name-taken";
}

export async function findProfileById(
  database: Database,
  scope: ProjectScope,
  id: string,
): Promise<ProfileRow | undefined> {
  return find(database, scope, eq(profiles.id, id));
}

export async function findProfileByName(
  database: Database,
  scope: ProjectScope,
  name: string,
): Promise<ProfileRow | undefined> {
  return find(database, scope, eq(profiles.name, name));
}

export async function findProfile(
  database: Database,
  scope: ProjectScope,
  idOrName: string,
): Promise<ProfileRow | undefined> {
  const byId = isIdentifier(idOrName) ? await findProfileById(database, scope, idOrName) : undefined;
  return byId ?? findProfileByName(database, scope, idOrName);
}

/** Includes deleted profiles, whose rows stay as long as a session refers to them. */
export async function findProfilesOfSessions(
  database: Database,
  scope: ProjectScope,
  ids: readonly string[],
): Promise<ProfileRow[]> {
  if (ids.length === 0) return [];
  return database
    .select()
    .from(profiles)
    .where(and(isInProject(profiles, scope), isOneOf(profiles.id, ids)));
}

export async function listProfiles(
  database: Database,
  scope: ProjectScope,
  filter: { name?: string; query?: string },
  page: PageRequest,
): Promise<ProfileRow[]> {
  const { name, query } = filter;
  return database
    .select()
    .from(profiles)
    .where(
      and(
        isInProject(profiles, scope),
        isPresent,
        name === undefined ? undefined : eq(profiles.name, name),
        query ? sql`(${profiles.id} = ${query} OR ${contains(profiles.name, query)})` : undefined,
      ),
    )
    .orderBy(desc(profiles.createdAt), desc(profiles.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function touchProfile(database: Database, id: string, at: number): Promise<void> {
  await database.update(profiles).set({ lastUsedAt: at }).where(eq(profiles.id, id));
}

/**
 * @returns the previous content id; or, with nothing changed, undefined if the profile is deleted, and "full"
 * if the organization would store too much.
 */
export async function replaceContent(
  database: Database,
  owner: { organizationId: string; profileId: string },
  content: Pick<ProfileRow, "sizeBytes"> & { contentId: string; at: number },
  quotas: Quotas,
): Promise<{ previous: string | null } | "full" | undefined> {
  const { contentId, sizeBytes, at } = content;
  const isProfile = and(
    eq(profiles.organizationId, owner.organizationId),
    eq(profiles.id, owner.profileId),
    isPresent,
  );
  const fitsQuota = sql`${fitsStorageQuota(owner.organizationId, sizeBytes, quotas)} + ${profiles.sizeBytes}`;
  const [[before], changed] = await database.batch([
    database.select({ contentId: profiles.contentId }).from(profiles).where(isProfile),
    database
      .update(profiles)
      .set({ contentId, sizeBytes, updatedAt: at })
      .where(and(isProfile, fitsQuota))
      .returning({ id: profiles.id }),
  ]);
  if (before === undefined) return undefined;
  return changed.length > 0 ? { previous: before.contentId } : "full";
}

/** Saves that are under way will fail. @returns undefined if there is no such profile. */
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

export async function markOrphanedProfilesDeleted(
  database: Database,
  at: number,
  limit: number,
): Promise<ProfileContent[]> {
  const orphaned = sql`(SELECT id FROM profiles WHERE deleted_at IS NULL
    AND NOT ${isKnownOrganization(profiles.organizationId)} LIMIT ${limit})`;
  return database
    .update(profiles)
    .set({ deletedAt: at })
    .where(inArray(profiles.id, orphaned))
    .returning(contentColumns);
}

/** Removes the rows of deleted profiles that no session refers to. */
export async function removeUnusedProfiles(database: Database, limit: number): Promise<void> {
  const unused = sql`(SELECT id FROM profiles WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM browser_sessions
      WHERE browser_sessions.organization_id = profiles.organization_id
        AND browser_sessions.profile_id = profiles.id)
    LIMIT ${limit})`;
  await database.delete(profiles).where(and(inArray(profiles.id, unused), isNotNull(profiles.deletedAt)));
}

/** @param names as `<profile id>/<content id>`; returns those that are current. */
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
  scope: ProjectScope,
  condition: SQL,
): Promise<ProfileRow | undefined> {
  const [row] = await database
    .select()
    .from(profiles)
    .where(and(isInProject(profiles, scope), condition, isPresent));
  return row;
}
