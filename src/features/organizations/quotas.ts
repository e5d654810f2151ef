import { and, eq, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { ServiceError } from "../../lib/common/errors.ts";
import type { Settings } from "../../lib/common/settings.ts";
import type { Database } from "../../lib/database/client.ts";
import { insertWhere } from "../../lib/database/insert-where.ts";
import { scopeOf } from "../../lib/database/project-scope.ts";
import { deployments } from "../../lib/database/schema/apps.ts";
import { extensions } from "../../lib/database/schema/extensions.ts";
import { apiKeys, projects } from "../../lib/database/schema/organizations.ts";
import { profiles } from "../../lib/database/schema/profiles.ts";
import { proxies } from "../../lib/database/schema/proxies.ts";
import { replays } from "../../lib/database/schema/replays.ts";
import { otlpDestinations } from "../../lib/database/schema/telemetry.ts";
import { webhooks } from "../../lib/database/schema/webhooks.ts";
import { isUsable } from "./api-keys/api-key.ts";
import { allHold, budgetCheck, explainRefusal, projectChecks } from "./projects/limits.ts";

const isLiveDeployment = inArray(deployments.state, ["queued", "in_progress", "running"]);

const COUNTED = {
  apiKeys: { table: apiKeys, isCounted: isUsable, setting: "MAX_API_KEYS" },
  deployments: { table: deployments, isCounted: () => isLiveDeployment, setting: "MAX_DEPLOYMENTS" },
  extensions: { table: extensions, isCounted: () => isNull(extensions.deletedAt), setting: "MAX_EXTENSIONS" },
  profiles: { table: profiles, isCounted: () => isNull(profiles.deletedAt), setting: "MAX_PROFILES" },
  projects: { table: projects, isCounted: () => isNull(projects.deletedAt), setting: "MAX_PROJECTS" },
  otlpDestinations: {
    table: otlpDestinations,
    isCounted: () => undefined,
    setting: "MAX_OTLP_DESTINATIONS",
  },
  proxies: { table: proxies, isCounted: () => isNull(proxies.deletedAt), setting: "MAX_PROXIES" },
  webhooks: { table: webhooks, isCounted: () => undefined, setting: "MAX_WEBHOOKS" },
} as const;

const STORED = [
  { table: deployments, isCounted: isLiveDeployment },
  { table: extensions, isCounted: isNull(extensions.deletedAt) },
  { table: profiles, isCounted: isNull(profiles.deletedAt) },
  { table: replays, isCounted: undefined },
];

export type Quotas = Settings["quotas"];

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
 * await insertWithinQuota(openDatabase(env.DB), "proxies", row, readSettings(env).quotas);
 */
export async function insertWithinQuota<K extends keyof typeof COUNTED>(
  database: Database,
  kind: K,
  row: (typeof COUNTED)[K]["table"]["$inferSelect"],
  quotas: Quotas,
  { condition, extraStatements = [] }: InsertOptions = {},
): Promise<boolean> {
  const { table, isCounted, setting } = COUNTED[kind];
  const size = "sizeBytes" in row ? row.sizeBytes : 0;
  const isBelow = sql`(SELECT count(*) FROM ${table}
    WHERE ${and(eq(table.organizationId, row.organizationId), isCounted(Date.now()))}) < ${quotas[kind]}`;
  const fits = size === 0 ? sql`TRUE` : fitsStorageQuota(row.organizationId, size, quotas);
  const noun = setting.replace("MAX_", "").replace("_", " ").toLowerCase();
  const message = `The organization has reached its limit of ${quotas[kind]} ${noun} (${setting}); delete one`;
  const limitReached = () => new ServiceError("too_many_requests", message, { shouldRetry: false });
  const checks = [
    ...(kind === "deployments" ? [budgetCheck(row)] : []),
    ...projectChecks(scopeOf(row.organizationId, ("projectId" in row && row.projectId) || "")),
    { holds: isBelow, refusal: limitReached },
    { holds: fits, refusal: () => storageFull(quotas) },
  ];
  const widened: SQLiteTable = table;
  const mayInsert = sql`${allHold(checks)} AND ${condition ?? sql`TRUE`}`;
  if (await insertWhere(database, widened, row, mayInsert, extraStatements)) return true;
  await explainRefusal(database, checks);
  // Whatever was in the way may have been deleted in the meantime.
  if (condition === undefined) throw limitReached();
  return false;
}

export function fitsStorageQuota(organizationId: string, bytes: number, quotas: Quotas): SQL {
  return sql`${storedBytes(organizationId)} + ${bytes} <= ${quotas.storedBytes}`;
}

/** The bytes that count against an organization's limit. */
export function storedBytes(organizationId: string | SQLWrapper): SQL<number> {
  const sums = STORED.map(
    ({ table, isCounted }) => sql`(SELECT coalesce(sum(${table.sizeBytes}), 0) FROM ${table}
      WHERE ${and(eq(table.organizationId, organizationId), isCounted)})`,
  );
  return sql<number>`${sql.join(sums, sql` + `)}`;
}

export function storageFull({ storedBytes }: Quotas): ServiceError {
  const message = `The organization may store at most ${storedBytes} bytes (MAX_STORED_MEBIBYTES); delete extensions, profiles or deployments, or wait until recordings expire`;
  return new ServiceError("payload_too_large", message, { shouldRetry: false });
}
