import { and, eq, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { ServiceError } from "../../lib/common/errors.ts";
import type { Settings } from "../../lib/common/settings.ts";
import type { Database } from "../../lib/database/client.ts";
import { insertWhere } from "../../lib/database/insert-where.ts";
import { scopeOf } from "../../lib/database/project-scope.ts";
import { deployments } from "../../lib/database/schema/apps.ts";
import { extensions } from "../../lib/database/schema/extensions.ts";
import { organizations } from "../../lib/database/schema/organizations.ts";
import { profiles } from "../../lib/database/schema/profiles.ts";
import { replays } from "../../lib/database/schema/replays.ts";
import { allHold, budgetCheck, explainRefusal, projectChecks } from "./projects/limits.ts";

const isLiveDeployment = inArray(deployments.state, ["queued", "in_progress", "running"]);

/** The names of the settings, as messages have them. */
const SETTINGS = {
  apiKeys: "MAX_API_KEYS",
  deployments: "MAX_DEPLOYMENTS",
  extensions: "MAX_EXTENSIONS",
  profiles: "MAX_PROFILES",
  projects: "MAX_PROJECTS",
  otlpDestinations: "MAX_OTLP_DESTINATIONS",
  proxies: "MAX_PROXIES",
  webhooks: "MAX_WEBHOOKS",
} as const;

type OwnedTable = SQLiteTable & { organizationId: SQLiteColumn };

/** The rows of an organization that count against a limit. */
interface CountedRows<T extends OwnedTable> {
  kind: keyof typeof SETTINGS;
  table: T;
  /** Undefined: all rows count. */
  isCounted?: SQL | undefined;
}

const STORED = [
  { table: deployments, isCounted: isLiveDeployment },
  { table: extensions, isCounted: isNull(extensions.deletedAt) },
  { table: profiles, isCounted: isNull(profiles.deletedAt) },
  { table: replays, isCounted: undefined },
];

export type Quotas = Settings["quotas"];

interface QuotaRow {
  organizationId: string;
  projectId?: string | null;
  sizeBytes?: number;
}

interface InsertOptions {
  condition?: SQL;
  /** These always run. */
  extraStatements?: readonly BatchItem<"sqlite">[];
}

/**
 * Inserts a row if the organization is below its limits, in one statement. @returns false if `condition` does
 * not hold.
 *
 * @throws ServiceError 404 for an archived or deleted project, 429 at the limit of the kind, 413 at the limit
 * of stored bytes; database errors such as a name in use.
 *
 * @example
 * const counted = { kind: "webhooks", table: webhooks } as const;
 * await insertWithinQuota(openDatabase(env.DB), counted, row, readSettings(env).quotas);
 */
export async function insertWithinQuota<T extends OwnedTable>(
  database: Database,
  { kind, table, isCounted }: CountedRows<T>,
  row: T["$inferSelect"] & QuotaRow,
  quotas: Quotas,
  { condition, extraStatements = [] }: InsertOptions = {},
): Promise<boolean> {
  const setting = SETTINGS[kind];
  const size = row.sizeBytes ?? 0;
  const isBelow = sql`(SELECT count(*) FROM ${table}
    WHERE ${and(eq(table.organizationId, row.organizationId), isCounted)}) < ${quotas[kind]}`;
  const fits = size === 0 ? sql`TRUE` : fitsStorageQuota(row.organizationId, size, quotas);
  const noun = setting.replace("MAX_", "").replace("_", " ").toLowerCase();
  const message = `The organization has reached its limit of ${quotas[kind]} ${noun} (${setting}); delete one`;
  const limitReached = () => new ServiceError("too_many_requests", message, { shouldRetry: false });
  const checks = [
    ...(kind === "deployments" ? [budgetCheck(row)] : []),
    ...projectChecks(scopeOf(row.organizationId, row.projectId ?? "")),
    { holds: isBelow, refusal: limitReached },
    { holds: fits, refusal: () => storageFull(quotas) },
  ];
  const mayInsert = sql`${allHold(checks)} AND ${condition ?? sql`TRUE`}`;
  if (await insertWhere(database, table, row, mayInsert, extraStatements)) return true;
  await explainRefusal(database, checks);
  // Whatever was in the way may have been deleted in the meantime.
  if (condition === undefined) throw limitReached();
  return false;
}

export function fitsStorageQuota(organizationId: string, bytes: number, quotas: Quotas): SQL {
  return sql`${storedBytes(organizationId)} + ${bytes} <= ${quotas.storedBytes}`;
}

/** The bytes that count against an organization's limit. */
function storedBytes(organizationId: string | SQLWrapper): SQL<number> {
  const sums = STORED.map(
    ({ table, isCounted }) => sql`(SELECT coalesce(sum(${table.sizeBytes}), 0) FROM ${table}
      WHERE ${and(eq(table.organizationId, organizationId), isCounted)})`,
  );
  return sql<number>`${sql.join(sums, sql` + `)}`;
}

/** A statement for an organization's own limits, and the bytes that it stores. */
export function selectLimits(database: Database, organizationId: string) {
  const { id, maxConcurrentSessions, maxPooledSessions } = organizations;
  return database
    .select({ maxConcurrentSessions, maxPooledSessions, storedBytes: storedBytes(organizationId) })
    .from(organizations)
    .where(eq(id, organizationId));
}

/** A query for the ids of organizations, of which a condition holds, and the bytes that each stores. */
export function selectStoredBytes(condition: (id: SQLWrapper) => SQL): SQL {
  const { id } = organizations;
  return sql`SELECT ${id} AS id, ${storedBytes(id)} AS bytes FROM ${organizations} WHERE ${condition(id)}`;
}

export function storageFull({ storedBytes }: Quotas): ServiceError {
  const message = `The organization may store at most ${storedBytes} bytes (MAX_STORED_MEBIBYTES); delete extensions, profiles or deployments, or wait until recordings expire`;
  return new ServiceError("payload_too_large", message, { shouldRetry: false });
}
