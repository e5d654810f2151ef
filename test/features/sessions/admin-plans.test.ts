import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { describe, expect, it } from "vitest";
import { listOrganizations } from "../../../src/features/organizations/store.ts";
import { countLiving } from "../../../src/features/sessions/conditions.ts";
import { listAllSessions, type OperatorSessionFilter } from "../../../src/features/sessions/queries.ts";
import type { Database } from "../../../src/lib/database/client.ts";
import { newClient } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

const PAGE = { limit: 20, offset: 0 };
const ENDED = 5000;
const LIVING = 30;
const organizationId = (await newClient()).organizationId;
// The living sessions are the oldest, so that a walk from the newest would pass all others.
for (let n = 0; n < LIVING; n += 1) await insertSessionRow({ organizationId, createdAt: n });
const { id } = await insertEndedRow({ organizationId, createdAt: LIVING });
const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('browser_sessions')").all<{
  name: string;
}>();
const names = results.map(({ name }) => name);
const values = names.map((name) => ({ id: "'copy-' || n", created_at: "n" })[name] ?? name);
await env.DB.prepare(
  `WITH RECURSIVE numbers(n) AS (SELECT ${LIVING + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${LIVING + ENDED})
    INSERT INTO browser_sessions (${names.join()}) SELECT ${values.join()} FROM numbers, browser_sessions WHERE id = ?`,
)
  .bind(id)
  .run();

/** @returns the query plans of the statements, and the number of rows that they read. */
async function explain(work: (database: Database) => Promise<unknown>) {
  const statements: [sql: string, parameters: unknown[]][] = [];
  const logQuery = (sql: string, parameters: unknown[]) => statements.push([sql, parameters]);
  await work(drizzle(env.DB, { logger: { logQuery } }));
  const plan: string[] = [];
  let rowsRead = 0;
  for (const [sql, parameters] of statements) {
    const run = (statement: string) =>
      env.DB.prepare(statement)
        .bind(...parameters)
        .all<{ detail: string }>();
    plan.push(...(await run(`EXPLAIN QUERY PLAN ${sql}`)).results.map(({ detail }) => detail));
    rowsRead += (await run(sql)).meta.rows_read;
  }
  return { statements: statements.length, plan: plan.join("\n"), rowsRead };
}

describe(`among ${ENDED} ended sessions`, () => {
  it.each<[OperatorSessionFilter, boolean, string]>([
    [{ status: "active" }, false, "browser_sessions_living"],
    [{ status: "active" }, true, "browser_sessions_living"],
    [{ status: "deleted" }, false, "browser_sessions_by_creation"],
    [{ status: "deleted" }, true, "browser_sessions_all"],
    [{ status: "all" }, false, "browser_sessions_by_creation"],
    [{ status: "all" }, true, "browser_sessions_all"],
  ])("the operator's list %j (of one organization: %j) uses %s", async (filter, isOfOne, index) => {
    const ofOne = isOfOne ? { organizationId } : {};
    const { statements, plan, rowsRead } = await explain((database) =>
      listAllSessions(database, { ...filter, ...ofOne }, PAGE),
    );
    expect(statements).toBe(1);
    expect(plan).toContain(index);
    expect(rowsRead).toBeLessThan(1000);
  });

  it("the use of a page of organizations is read from their living sessions only", async () => {
    const { statements, rowsRead, plan } = await explain((database) =>
      listOrganizations(database, PAGE, 0, countLiving),
    );
    expect(statements).toBe(1);
    expect(plan).toContain("browser_sessions_living (organization_id=? AND pool_id=?)");
    expect(plan).toContain("browser_sessions_living (organization_id=? AND pool_id>?)");
    // Organizations have no index by their creation, and other files leave living sessions.
    const others = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM organizations) + (SELECT count(*) FROM browser_sessions WHERE state <> 'ended') AS count",
    ).first<{ count: number }>();
    expect(rowsRead).toBeLessThan(1000 + (others?.count ?? 0));
  });
});
