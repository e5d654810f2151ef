import { and, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { ServiceError } from "../common/errors.ts";
import type { Settings } from "../common/settings.ts";
import type { Database } from "../database/client.ts";
import { insertWhere } from "../database/insert-where.ts";
import { deployments } from "../database/schema/apps.ts";
import { extensions } from "../database/schema/extensions.ts";
import { apiKeys } from "../database/schema/organizations.ts";
import { profiles } from "../database/schema/profiles.ts";
import { proxies } from "../database/schema/proxies.ts";

const isLiveDeployment = inArray(deployments.state, ["queued", "in_progress", "running"]);

/** What counts against each limit of an organization, and the setting that has the limit. */
const COUNTED = {
  apiKeys: {
    table: apiKeys,
    isCounted: (now: number) =>
      and(isNull(apiKeys.deletedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))),
    setting: "MAX_API_KEYS",
    noun: "API keys",
  },
  deployments: {
    table: deployments,
    isCounted: () => isLiveDeployment,
    setting: "MAX_DEPLOYMENTS",
    noun: "deployments",
  },
  extensions: {
    table: extensions,
    isCounted: () => isNull(extensions.deletedAt),
    setting: "MAX_EXTENSIONS",
    noun: "extensions",
  },
  profiles: {
    table: profiles,
    isCounted: () => isNull(profiles.deletedAt),
    setting: "MAX_PROFILES",
    noun: "profiles",
  },
  proxies: {
    table: proxies,
    isCounted: () => isNull(proxies.deletedAt),
    setting: "MAX_PROXIES",
    noun: "proxies",
  },
} as const;

const STORED = [
  { table: deployments, isCounted: isLiveDeployment },
  { table: extensions, isCounted: isNull(extensions.deletedAt) },
  { table: profiles, isCounted: isNull(profiles.deletedAt) },
];

export type Quotas = Settings["quotas"];

interface InsertOptions {
  /** A condition of the caller's own, decided by the same statement. */
  condition?: SQL;
  /** Statements of the same transaction; they run in any case. */
  along?: readonly BatchItem<"sqlite">[];
}

/**
 * Inserts a row of an organization's, in one statement that also counts against the organization's limits.
 *
 * @param row.sizeBytes what it stores in files, where it does.
 * @returns false where the caller's own condition does not hold.
 * @throws ServiceError 429 at the limit of such things, 413 at that of stored bytes; nothing is inserted then. What the
 * database refuses, such as a name in use.
 */
export async function insertWithinQuota<K extends keyof typeof COUNTED>(
  database: Database,
  kind: K,
  row: (typeof COUNTED)[K]["table"]["$inferSelect"],
  quotas: Quotas,
  { condition = sql`TRUE`, along = [] }: InsertOptions = {},
): Promise<boolean> {
  const { table, isCounted, setting, noun } = COUNTED[kind];
  const size = "sizeBytes" in row ? row.sizeBytes : 0;
  const isBelow = sql`(SELECT count(*) FROM ${table}
    WHERE ${and(eq(table.organizationId, row.organizationId), isCounted(Date.now()))}) < ${quotas[kind]}`;
  const fits = size === 0 ? sql`TRUE` : fitsInto(row.organizationId, size, quotas);
  const widened: SQLiteTable = table;
  if (await insertWhere(database, widened, row, sql`${isBelow} AND ${fits} AND ${condition}`, along))
    return true;
  const [found] = await database.all<{ fits: number; holds: number }>(
    sql`SELECT ${fits} AS fits, ${condition} AS holds`,
  );
  if (found?.holds === 0) return false;
  if (found?.fits === 0) throw storageFull(quotas);
  const message = `The organization has reached its limit of ${quotas[kind]} ${noun} (${setting}); delete one`;
  throw new ServiceError("too_many_requests", message, { shouldRetry: false });
}

/** Whether so many more bytes are within what an organization may store. */
export function fitsInto(organizationId: string, bytes: number, quotas: Quotas): SQL {
  const sums = STORED.map(
    ({ table, isCounted }) => sql`(SELECT coalesce(sum(${table.sizeBytes}), 0) FROM ${table}
      WHERE ${and(eq(table.organizationId, organizationId), isCounted)})`,
  );
  return sql`${sql.join(sums, sql` + `)} + ${bytes} <= ${quotas.storedBytes}`;
}

export function storageFull({ storedBytes }: Quotas): ServiceError {
  const message = `The organization would store more than ${storedBytes} bytes (MAX_STORED_MEBIBYTES); delete extensions, profiles or deployments`;
  return new ServiceError("payload_too_large", message, { shouldRetry: false });
}
