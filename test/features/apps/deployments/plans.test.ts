import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { expect, it } from "vitest";
import {
  findCurrentApp,
  hasCurrentApps,
  listCurrentApps,
  listDeployments,
  listOrphanedDeployments,
  listReplacedDeployments,
  listStalledDeployments,
} from "../../../../src/features/apps/deployments/store.ts";
import type { Database } from "../../../../src/lib/database/client.ts";

const PAGE = { limit: 20, offset: 0 };
const DEPLOYMENT = { id: "d", organizationId: "o", projectId: "", version: "1", createdAt: 1 };

async function planOf(work: (database: Database) => Promise<unknown>): Promise<string> {
  const statements: [sql: string, parameters: unknown[]][] = [];
  const logger = {
    logQuery: (sql: string, parameters: unknown[]) => void statements.push([sql, parameters]),
  };
  await work(drizzle(env.DB, { logger }));
  const plans = statements.map(([sql, parameters]) =>
    env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...parameters)
      .all<{ detail: string }>(),
  );
  return (await Promise.all(plans)).flatMap(({ results }) => results.map(({ detail }) => detail)).join("\n");
}

it.each<[string, (database: Database) => Promise<unknown>, string[]]>([
  [
    "the app to invoke",
    (database) => findCurrentApp(database, { organizationId: "o", projectId: "" }, "a", "1"),
    ["apps_current"],
  ],
  [
    "a page of apps",
    (database) => listCurrentApps(database, { organizationId: "o", projectId: "" }, {}, PAGE),
    ["apps_listed"],
  ],
  [
    "an app by its name",
    (database) =>
      listCurrentApps(
        database,
        { organizationId: "o", projectId: "" },
        { app_name: "a", version: "1" },
        PAGE,
      ),
    ["apps_current"],
  ],
  [
    "a page of deployments",
    (database) => listDeployments(database, { organizationId: "o", projectId: "" }, {}, PAGE),
    ["deployments_of_project"],
  ],
  [
    "a page of deployments of an app",
    (database) => listDeployments(database, { organizationId: "o", projectId: "" }, { app_name: "a" }, PAGE),
    ["deployments_of_project", "apps_by_"],
  ],
  ["a current app of a deployment", (database) => hasCurrentApps(database, "d"), ["apps_by_deployment"]],
  [
    "replaced deployments",
    (database) => listReplacedDeployments(database, DEPLOYMENT, ["a"]),
    ["apps_by_name", "apps_by_deployment"],
  ],
  ["stalled deployments", (database) => listStalledDeployments(database, 0, 10), ["deployments_unfinished"]],
  [
    "deployments of deleted organizations",
    (database) => listOrphanedDeployments(database, 10),
    ["deployments_of_project"],
  ],
])("finds %s by indexes without sorting", async (_, work, indexes) => {
  const plan = await planOf(work);
  for (const index of indexes) expect(plan).toContain(index);
  expect(plan).not.toMatch(/SCAN (apps|deployments)(?! USING COVERING INDEX)/);
  expect(plan).not.toContain("TEMP B-TREE");
});
