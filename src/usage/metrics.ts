import { gt, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { invocations } from "../database/schema/apps.ts";
import { browserSessions, launchedBrowsers } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { counters } from "../database/schema/usage.ts";
import { webhookDeliveries } from "../database/schema/webhooks.ts";

interface Metric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: { labels?: Record<string, string>; value: number }[];
}

/** @example "# HELP berth_browsers Browsers.\n# TYPE berth_browsers gauge\nberth_browsers 3\n" */
export function formatMetrics(metrics: Metric[]): string {
  return metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
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

/** Reads only living rows and counters, by indexes. */
export async function readMetrics(database: Database, now: number): Promise<Metric[]> {
  const count = sql<number>`count(*)`;
  const reading = database.batch([
    database
      .select({ state: browserSessions.state, isPooled: sql<number>`pool_id IS NOT NULL`, count })
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
    database.select({ count }).from(launchedBrowsers),
    database.select({ count }).from(organizations).where(gt(organizations.overBudgetUntil, now)),
  ]);
  const [[sessions, unfinished, ended, [pending], [browsers], [over]], { meta }] = await Promise.all([
    reading,
    // The result of any statement tells the size.
    database.run(sql`SELECT 1`),
  ]);
  const gauge = (name: string, help: string, samples: Metric["samples"]): Metric => ({
    name: `berth_${name}`,
    type: "gauge",
    help,
    samples,
  });
  const counter = (name: (typeof ended)[number]["name"], label: string, help: string): Metric => ({
    name: `berth_${name}_total`,
    type: "counter",
    help,
    samples: ended
      .filter((row) => row.name === name)
      .map((row) => ({ labels: { [label]: row.label }, value: row.value })),
  });
  return [
    gauge(
      "sessions",
      "Sessions that have not ended; idle ones wait in a pool.",
      sessions.map(({ state, isPooled, count: value }) => ({
        labels: { state, pooled: isPooled ? "true" : "false" },
        value,
      })),
    ),
    gauge(
      "invocations",
      "Invocations that have not finished.",
      unfinished.map(({ status, count: value }) => ({ labels: { status }, value })),
    ),
    counter("sessions_ended", "reason", "Sessions and leases that ended."),
    counter("invocations_finished", "status", "Invocations that finished."),
    gauge("browsers", "Browsers that were launched and not closed.", [{ value: browsers?.count ?? 0 }]),
    gauge("webhook_deliveries_pending", "Events that are yet to be delivered.", [
      { value: pending?.count ?? 0 },
    ]),
    gauge("organizations_over_budget", "Organizations whose hard budget is used up.", [
      { value: over?.count ?? 0 },
    ]),
    gauge("database_size_bytes", "Size of the D1 database, which has at most 10 GB.", [
      { value: meta.size_after },
    ]),
  ];
}
