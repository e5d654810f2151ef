import type { z } from "@hono/zod-openapi";
import { countRecentInvocations, failedDeploymentsByHour } from "../../features/apps/index.ts";
import { countPools } from "../../features/browser-pools/index.ts";
import { selectLimits } from "../../features/organizations/index.ts";
import { countRecentSessions } from "../../features/sessions/index.ts";
import { failedDeliveriesByHour } from "../../features/webhooks/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import type { Settings } from "../../lib/common/settings.ts";
import type { Database } from "../../lib/database/client.ts";
import { HOUR_MS } from "../../lib/database/count-by-hour.ts";
import type { overviewSchema } from "./schema.ts";

const HOURS = 24;

/**
 * Longer than an invocation, a deployment or all attempts of a delivery take, so that an index finds what
 * failed.
 */
const MAX_DURATION_MS = 48 * HOUR_MS;

type Overview = z.infer<typeof overviewSchema>;

/** How often something happened in an hour, counted from the first one. */
interface Counted {
  hour: number;
  count: number;
}

/** All of it in one transaction. @throws ServiceError 404 when the organization is gone. */
export async function readOverview(
  database: Database,
  organizationId: string,
  settings: Settings,
  now: number,
): Promise<Overview> {
  const since = (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const recent = { organizationId, since, earliest: since - MAX_DURATION_MS };
  const [
    [organization],
    [pools],
    [living],
    created,
    ended,
    lostSessions,
    unfinished,
    started,
    failedInvocations,
    failedDeployments,
    failedDeliveries,
  ] = await database.batch([
    selectLimits(database, organizationId),
    countPools(database, organizationId),
    ...countRecentSessions(database, recent),
    ...countRecentInvocations(database, recent),
    failedDeploymentsByHour(database, recent),
    failedDeliveriesByHour(database, recent),
  ]);
  if (organization === undefined) throw notFound("organization");
  const failed = [...lostSessions, ...failedInvocations, ...failedDeployments, ...failedDeliveries];
  const invocationsOf = (wanted: string) => unfinished.find(({ status }) => status === wanted)?.count ?? 0;
  return {
    sessions: {
      active: living?.own ?? 0,
      limit: organization.maxConcurrentSessions ?? settings.maxConcurrentSessions,
    },
    pools: {
      pools: pools?.pools ?? 0,
      size: pools?.size ?? 0,
      available: living?.available ?? 0,
      acquired: living?.acquired ?? 0,
      limit: organization.maxPooledSessions ?? settings.maxPooledSessions,
    },
    invocations: {
      running: invocationsOf("running"),
      queued: invocationsOf("queued"),
      limit: settings.maxConcurrentInvocations,
    },
    storage: { used_bytes: organization.storedBytes, limit_bytes: settings.quotas.storedBytes },
    errors: {
      sessions_lost: total(lostSessions),
      invocations_failed: total(failedInvocations),
      deployments_failed: total(failedDeployments),
      webhook_deliveries_failed: total(failedDeliveries),
    },
    hours: Array.from({ length: HOURS }, (_, hour) => {
      const inHour = (rows: readonly Counted[]) => total(rows.filter((row) => row.hour === hour));
      return {
        starts_at: new Date(since + hour * HOUR_MS).toISOString(),
        sessions_created: inHour(created),
        sessions_ended: inHour(ended),
        invocations_started: inHour(started),
        errors: inHour(failed),
      };
    }),
  };
}

function total(rows: readonly Counted[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0);
}
