import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type InvocationFilter,
  listFinishedOrphans,
  listInvocations,
  listUnfinishedBefore,
  listUnfinishedOfDeployment,
  listUnfinishedOrphans,
  listWithLogsBefore,
} from "../../../../src/features/apps/invocations/store.ts";
import type { Database } from "../../../../src/lib/database/client.ts";
import { newClient } from "../../../api.ts";

const ROWS = 100_000;
const PAGE = { limit: 20, offset: 0 };

/** Inserts rows with every combination of four values per filter; every second one has finished. */
const INSERT = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 - 1)
  INSERT INTO invocations (
    id, organization_id, app_name, version, action_name, deployment_id, status, payload, payload_in_files,
    output_in_files, started_at, finished_at, logs_kept
  )
  SELECT lower(hex(randomblob(12))), ?2, 'app-' || (n & 3), 'version-' || (n >> 2 & 3), 'action-' || (n >> 4 & 3),
    'deployment-' || (n >> 6 & 3), CASE n >> 8 & 3 WHEN 0 THEN 'queued' WHEN 1 THEN 'running' WHEN 2 THEN 'succeeded'
    ELSE 'failed' END, '{}', 0, 0, n, CASE WHEN n & 1 THEN n END, n & 1
  FROM numbers`;

let organizationId: string;

beforeAll(async () => {
  organizationId = (await newClient()).organizationId;
  await env.DB.prepare(INSERT).bind(ROWS, organizationId).run();
}, 60_000);

afterAll(async () => {
  await env.DB.prepare("DELETE FROM invocations WHERE organization_id = ?").bind(organizationId).run();
}, 60_000);

const FILTERS: InvocationFilter[] = [{}];
for (const single of [
  { appName: "app-1" },
  { version: "version-1" },
  { actionName: "action-1" },
  { deploymentId: "deployment-1" },
  { status: "running" },
  { since: ROWS - 2000 },
  { query: "APP-1" },
] satisfies InvocationFilter[]) {
  FILTERS.push(...FILTERS.map((filter) => ({ ...filter, ...single })));
}

/** @returns the query plan of the statement, and the number of rows that it reads. */
async function explain(work: (database: Database) => Promise<unknown>) {
  const statements: [sql: string, parameters: unknown[]][] = [];
  const logQuery = (sql: string, parameters: unknown[]) => statements.push([sql, parameters]);
  await work(drizzle(env.DB, { logger: { logQuery } }));
  expect(statements).toHaveLength(1);
  const [[sql, parameters] = ["", []]] = statements;
  const run = (statement: string) =>
    env.DB.prepare(statement)
      .bind(...parameters)
      .all<{ detail: string }>();
  const plan = (await run(`EXPLAIN QUERY PLAN ${sql}`)).results.map(({ detail }) => detail);
  return { plan, rowsRead: (await run(sql)).meta.rows_read };
}

const list = (filter: InvocationFilter) => (database: Database) =>
  listInvocations(database, { organizationId, projectId: "" }, filter, PAGE);

describe(`a list of ${ROWS} invocations`, () => {
  it.each(FILTERS.map((filter) => [filter]))("uses an index in order for %j", async (filter) => {
    const { plan } = await explain(list(filter));
    expect(plan).toHaveLength(1);
    const bounds = "since" in filter ? / AND started_at>\?\)$/ : /\?\)$/;
    expect(plan[0]).toMatch(/^SEARCH invocations USING INDEX invocations_\w+ \(organization_id=\?/);
    expect(plan[0]).toMatch(bounds);
  });

  it.each([
    [{}, "of_project"],
    [{ appName: "app-1" }, "by_app"],
    [{ version: "version-1" }, "by_version"],
    [{ actionName: "action-1" }, "by_action"],
    [{ deploymentId: "deployment-1" }, "by_deployment"],
    [{ status: "running" }, "by_status"],
    [{ query: "app-1" }, "of_project"],
  ] satisfies [InvocationFilter, string][])("uses for %j the index %s", async (filter, index) => {
    for (const since of [undefined, ROWS - 2000]) {
      const { plan, rowsRead } = await explain(list({ ...filter, since }));
      expect(plan).toEqual([expect.stringContaining(`USING INDEX invocations_${index} (`)]);
      // A part of a name matches one row in four.
      expect(rowsRead).toBeLessThan(5 * PAGE.limit);
      expect(rowsRead).toBeGreaterThan(PAGE.limit);
    }
  });
});

describe(`maintenance of ${ROWS} invocations`, () => {
  it.each<[string, (database: Database) => Promise<unknown>, RegExp]>([
    [
      "unfinished for long",
      (database) => listUnfinishedBefore(database, 10, 10),
      /USING INDEX invocations_unfinished \(started_at<\?\)/,
    ],
    [
      "with old logs",
      (database) => listWithLogsBefore(database, 10, 10),
      /^SEARCH invocations USING INDEX invocations_with_logs \(finished_at<\?\)$/,
    ],
    [
      "unfinished in a deployment",
      (database) => listUnfinishedOfDeployment(database, "deployment-1"),
      /USING INDEX invocations_unfinished/,
    ],
    [
      "of disabled organizations",
      (database) => listUnfinishedOrphans(database),
      /USING INDEX invocations_unfinished/,
    ],
    [
      "of deleted organizations",
      (database) => listFinishedOrphans(database, 10),
      /^SEARCH invocations USING INDEX invocations_\w+ \(organization_id=\?\)/,
    ],
  ])("finds invocations %s by an index", async (_, work, first) => {
    const { plan } = await explain(work);
    expect(plan[0]).toMatch(first);
    for (const detail of plan) {
      expect(detail).not.toMatch(/^SCAN invocations(?! USING INDEX invocations_unfinished)/);
    }
  });

  it("checks each organization once, not once per invocation", async () => {
    const { rowsRead } = await explain((database) => listFinishedOrphans(database, 10));
    expect(rowsRead).toBeLessThan(ROWS / 10);
  });
});
