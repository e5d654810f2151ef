import { and, desc, eq, inArray, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import type { Database } from "../../lib/database/client.ts";
import { contains, isOneOf } from "../../lib/database/conditions.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { type ExtensionRow, extensions } from "../../lib/database/schema/extensions.ts";
import { unlessNameTaken } from "../../lib/database/unique-violation.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import { insertWithinQuota, isKnownOrganization, type Quotas } from "../organizations/index.ts";

const isOrphaned = not(isKnownOrganization(extensions.organizationId));
const isPresent = isNull(extensions.deletedAt);
const COUNTED = { kind: "extensions", table: extensions, isCounted: isPresent } as const;

/** @returns false for a taken name. @throws ServiceError 429 at the quota, 413 at that of stored bytes. */
export async function insertExtension(
  database: Database,
  row: ExtensionRow,
  quotas: Quotas,
): Promise<boolean> {
  return (await unlessNameTaken(() => insertWithinQuota(database, COUNTED, row, quotas))) !== "name-taken";
}

export async function findExtension(
  database: Database,
  scope: ProjectScope,
  idOrName: string,
): Promise<ExtensionRow | undefined> {
  const find = async (condition: SQL) => {
    const [row] = await database
      .select()
      .from(extensions)
      .where(and(isInProject(extensions, scope), condition, isPresent));
    return row;
  };
  const byId = isIdentifier(idOrName) ? await find(eq(extensions.id, idOrName)) : undefined;
  return byId ?? find(eq(extensions.name, idOrName));
}

export async function findExtensions(
  database: Database,
  scope: ProjectScope,
  by: { ids: string[] } | { names: string[] },
): Promise<ExtensionRow[]> {
  const condition = "ids" in by ? inArray(extensions.id, by.ids) : inArray(extensions.name, by.names);
  return database
    .select()
    .from(extensions)
    .where(and(isInProject(extensions, scope), condition, isPresent));
}

export async function listExtensions(
  database: Database,
  scope: ProjectScope,
  filter: { name?: string; query?: string },
  page: PageRequest,
): Promise<ExtensionRow[]> {
  const { name, query } = filter;
  return database
    .select()
    .from(extensions)
    .where(
      and(
        isInProject(extensions, scope),
        isPresent,
        name === undefined ? undefined : eq(extensions.name, name),
        query ? sql`(${extensions.id} = ${query} OR ${contains(extensions.name, query)})` : undefined,
      ),
    )
    .orderBy(desc(extensions.createdAt), desc(extensions.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function touchExtensions(database: Database, ids: string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await database.update(extensions).set({ lastUsedAt: at }).where(inArray(extensions.id, ids));
}

/** @returns false if there is no such extension. */
export async function markExtensionDeleted(database: Database, id: string, at: number): Promise<boolean> {
  const rows = await database
    .update(extensions)
    .set({ deletedAt: at })
    .where(and(eq(extensions.id, id), isPresent))
    .returning({ id: extensions.id });
  return rows.length > 0;
}

/** Lists extensions that are deleted or orphaned, and that no living session uses. */
export async function listUnusedExtensions(
  database: Database,
  limit: number,
): Promise<Pick<ExtensionRow, "id" | "organizationId">[]> {
  return database
    .select({ id: extensions.id, organizationId: extensions.organizationId })
    .from(extensions)
    .where(
      and(
        or(isNotNull(extensions.deletedAt), isOrphaned),
        sql`NOT EXISTS (SELECT 1 FROM browser_sessions, json_each(browser_sessions.extension_ids) AS used
          WHERE browser_sessions.organization_id = extensions.organization_id
            AND state <> 'ended' AND used.value = extensions.id)`,
      ),
    )
    .limit(limit);
}

export async function removeExtensions(database: Database, ids: readonly string[]): Promise<void> {
  await database.delete(extensions).where(isOneOf(extensions.id, ids));
}
