import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../lib/database/client.ts";
import { countOverBudget } from "../organizations/index.ts";

/** Metrics and their help texts. Names of counters end in `_total`. */
const METRICS = {
  sessions: "Sessions that have not ended; idle ones wait in a pool.",
  invocations: "Invocations that have not finished.",
  sessions_ended_total: "Sessions and leases that ended.",
  invocations_finished_total: "Finished invocations.",
  browsers: "Launched browsers that have not been closed.",
  launches_waiting: "Launches that wait for a free browser.",
  webhook_deliveries: "Events that wait to be delivered.",
  organizations_over_budget: "Organizations whose hard budget is used up.",
  database_bytes: "Size of the D1 database.",
};

interface Sample {
  metric: string;
  /** In the text format, such as `state="idle",pooled="true"`, which escapes like JSON. */
  labels: string;
  value: number;
}

/** Only living rows and counters, by indexes. D1 takes at most five terms. */
const samplesWith = (pendingDeliveries: SQL) => sql`
  SELECT 'sessions' AS metric,
      'state=' || json_quote(state) || ',pooled=' || iif(pool_id IS NULL, '"false"', '"true"') AS labels, count(*) AS value
    FROM browser_sessions WHERE state <> 'ended' GROUP BY 2
  UNION ALL SELECT 'invocations', 'status=' || json_quote(status), count(*)
    FROM invocations WHERE finished_at IS NULL GROUP BY 2
  UNION ALL SELECT name || '_total', iif(name = 'sessions_ended', 'reason=', 'status=') || json_quote(label), value
    FROM counters
  UNION ALL SELECT 'webhook_deliveries', '', (${pendingDeliveries})
  UNION ALL SELECT 'organizations_over_budget', '', (${countOverBudget})`;

/**
 * Reads metrics in the text format of Prometheus.
 *
 * @param of what the brokers know about browsers.
 * @param pendingDeliveries a query for their number.
 *
 * @example "# HELP berth_browsers Browsers.\n# TYPE berth_browsers gauge\nberth_browsers 3\n"
 */
export async function readMetrics(
  database: Database,
  of: { browsers: number; launches_waiting: number },
  pendingDeliveries: SQL,
): Promise<string> {
  const [read, { meta }] = await Promise.all([
    database.all<Sample>(samplesWith(pendingDeliveries)),
    // The result of any statement contains the size.
    database.run(sql`SELECT 1`),
  ]);
  const known = Object.entries({ ...of, database_bytes: meta.size_after });
  const samples = [...read, ...known.map(([metric, value]) => ({ metric, labels: "", value }))];
  const lines = Object.entries(METRICS).flatMap(([name, help]) => [
    `# HELP berth_${name} ${help}`,
    `# TYPE berth_${name} ${name.endsWith("_total") ? "counter" : "gauge"}`,
    ...samples
      .filter(({ metric }) => metric === name)
      .map(({ labels, value }) => `berth_${name}${labels && `{${labels}}`} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}
