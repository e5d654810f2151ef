import { gt, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { invocations } from "../database/schema/apps.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { counters } from "../database/schema/usage.ts";
import { webhookDeliveries } from "../database/schema/webhooks.ts";

interface Metric {
  /** Ends with `_total` if it only grows. */
  name: string;
  help: string;
  samples: { labels?: Record<string, string>; value: number }[];
}

/** @example "# HELP berth_browsers Browsers.\n# TYPE berth_browsers gauge\nberth_browsers 3\n" */
export function formatMetrics(metrics: Metric[]): string {
  return metrics
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}`,
      ...samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Reads only living rows and counters, by indexes. @param browsers that are launched and not closed. */
export async function readMetrics(database: Database, browsers: number, now: number): Promise<Metric[]> {
  const count = sql<number>`count(*)`;
  const reading = database.batch([
    database
      .select({
        state: browserSessions.state,
        pooled: sql<string>`iif(pool_id IS NULL, 'false', 'true')`,
        count,
      })
      .from(browserSessions)
      .where(sql`state <> 'ended'`)
      .groupBy(browserSessions.state, sql`2`),
    database
      .select({ status: invocations.status, count })
      .from(invocations)
      .where(sql`finished_at IS NULL`)
      .groupBy(invocations.status),
    database.select().from(counters),
    database.select({ count }).from(webhookDeliveries).where(sql`state = 'pending'`),
    database.select({ count }).from(organizations).where(gt(organizations.overBudgetUntil, now)),
  ]);
  const [[sessions, unfinished, counted, [pending], [over]], { meta }] = await Promise.all([
    reading,
    // The result of any statement tells the size.
    database.run(sql`SELECT 1`),
  ]);
  const one = (row: { count: number } | undefined) => [{ value: row?.count ?? 0 }];
  const ended = (name: (typeof counted)[number]["name"], label: string) =>
    counted
      .filter((row) => row.name === name)
      .map((row) => ({ labels: { [label]: row.label }, value: row.value }));
  const living = sessions.map(({ count: value, ...labels }) => ({ labels, value }));
  const running = unfinished.map(({ count: value, ...labels }) => ({ labels, value }));
  const size = [{ value: meta.size_after }];
  return [
    metric("sessions", "Sessions that have not ended; idle ones wait in a pool.", living),
    metric("invocations", "Invocations that have not finished.", running),
    metric("sessions_ended_total", "Sessions and leases that ended.", ended("sessions_ended", "reason")),
    metric("invocations_finished_total", "Finished invocations.", ended("invocations_finished", "status")),
    metric("browsers", "Launched browsers that are not closed.", [{ value: browsers }]),
    metric("webhook_deliveries", "Events that are to be delivered.", one(pending)),
    metric("organizations_over_budget", "Organizations whose hard budget is used up.", one(over)),
    metric("database_bytes", "Size of the D1 database.", size),
  ];
}

function metric(name: string, help: string, samples: Metric["samples"]): Metric {
  return { name: `berth_${name}`, help, samples };
}
