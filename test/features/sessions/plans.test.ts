import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallerReach } from "../../../src/features/organizations/index.ts";
import {
  listPendingHandoffs,
  listSessions,
  type SessionFilter,
  watchSessions,
} from "../../../src/features/sessions/queries.ts";
import { insertSession } from "../../../src/features/sessions/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient } from "../../api.ts";
import { explain } from "../../query-plans.ts";
import { insertEndedRow } from "../../records.ts";

const ROWS = 10_000;
const PAGE = { limit: 100, offset: 0 };

/** Half of the sessions have ended. */
const INSERT = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 - 1)
  INSERT INTO browser_sessions (
    id, organization_id, state, tags, headless, stealth, kiosk_mode, timeout_seconds, viewport_width, viewport_height,
    viewport_refresh_rate, created_at, deleted_at, pool_id, proxy_id, profile_id, api_key_id
  )
  SELECT lower(hex(randomblob(12))), ?2, CASE WHEN n & 1 THEN 'ended' ELSE 'active' END, '{}', 0, 0, 0, 60, 1920, 1080,
    25, n, CASE WHEN n & 1 THEN n END, 'pool-' || (n >> 1 & 3), 'proxy-' || (n >> 3 & 3), 'profile-' || (n >> 5 & 3),
    'key-' || (n >> 7 & 3)
  FROM numbers`;

let caller: CallerReach & { keyId: string };

beforeAll(async () => {
  const { organizationId, keyId } = await newClient();
  caller = { organizationId, projectId: "", keyId, invocationId: null };
  await env.DB.prepare(INSERT).bind(ROWS, organizationId).run();
  await env.DB.prepare(INSERT).bind(ROWS, "somebody else's").run();
}, 60_000);

afterAll(async () => {
  const organizations = [caller.organizationId, "somebody else's"];
  await env.DB.prepare("DELETE FROM browser_sessions WHERE organization_id IN (?, ?)")
    .bind(...organizations)
    .run();
}, 60_000);

const INDEXES = { active: "active", deleted: "ended", all: "of_project" } as const;
const FILTERS = [
  {},
  { poolId: "pool-1" },
  { proxyId: "proxy-1" },
  { profileId: "profile-1" },
  { apiKeyId: "key-1" },
  { poolId: "pool-1", proxyId: "proxy-1", profileId: "profile-1", apiKeyId: "key-1" },
  { query: "proxy-1" },
];
const CASES = Object.entries(INDEXES).flatMap(([status, index]) =>
  FILTERS.map((filter): [SessionFilter, string] => [
    { status: status as keyof typeof INDEXES, tags: {}, ...filter },
    `SEARCH browser_sessions USING INDEX browser_sessions_${index} (organization_id=? AND project_id=?)`,
  ]),
);

describe(`a list of ${ROWS} sessions`, () => {
  it.each(CASES)("is read in the order of an index for %j", async (filter, plan) => {
    const statements = await explain((database) => listSessions(database, caller, filter, PAGE));
    expect(statements.map((statement) => statement.plan)).toEqual([[plan]]);
    expect(statements[0]?.rowsRead).toBeGreaterThan(0);
    expect(statements[0]?.rowsRead).toBeLessThan(1.5 * ROWS);
  });

  it("reads no more rows than the page has without filters", async () => {
    const filter = { status: "active", tags: {} } as const;
    const [list] = await explain((database) => listSessions(database, caller, filter, PAGE));
    expect(list?.rowsRead).toBeLessThanOrEqual(PAGE.limit + 1);
  });

  it("is not read for the pending handoffs", async () => {
    const [list] = await explain((database) => listPendingHandoffs(database, caller, PAGE));
    expect(list?.plan[0]).toContain("USING INDEX browser_sessions_with_handoffs");
    expect(list?.rowsRead).toBeLessThanOrEqual(1);
  });

  it("is not read to check the limits of a new session, which concern living ones", async () => {
    const { organizationId, projectId, keyId: apiKeyId } = caller;
    const row = await insertEndedRow({ organizationId, projectId, apiKeyId });
    const [insert] = await explain((database) => insertSession(database, row, { defaultLimit: 0 }));
    const counts = insert?.plan.filter((detail) => /SEARCH (browser_sessions|counted)/.test(detail)) ?? [];
    expect(counts).toEqual([
      expect.stringContaining("browser_sessions_living (organization_id=? AND pool_id=?)"),
      expect.stringContaining("browser_sessions_living (organization_id=? AND pool_id=? AND project_id=?)"),
      expect.stringMatching("browser_pools_name|browser_sessions_of_api_key"),
      expect.stringMatching("browser_pools_name|browser_sessions_of_api_key"),
    ]);
  });

  it("is watched with two statements, both by indexes", async () => {
    const filter = { status: "active", tags: {} } as const;
    const statements = await explain((database) => watchSessions(database, caller, filter, PAGE));
    expect(statements).toHaveLength(2);
    for (const detail of statements.flatMap(({ plan }) => plan)) {
      expect(detail).toMatch(/^(SEARCH .* USING (COVERING )?INDEX|SCALAR SUBQUERY|SCAN CONSTANT ROW)/);
    }
    const watched = await watchSessions(openDatabase(env.DB), caller, filter, PAGE);
    expect(watched?.active).toBe(ROWS / 2);
    expect(watched?.rows).toHaveLength(PAGE.limit + 1);
  });
});
