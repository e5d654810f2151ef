import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import worker from "../src/index.ts";
import { newIdentifier } from "../src/lib/common/identifiers.ts";
import { newClient } from "./api.ts";
import { createWebhook, useFakeReceivers } from "./features/webhooks/webhooks.ts";
import { insertEndedRow } from "./records.ts";

/** https://developers.cloudflare.com/d1/platform/limits/: queries per Worker invocation of the paid plan. */
const LIMIT = 1000;

const MINUTE_MS = 60_000;
const MAX_RUNS = 8;

const WEBHOOKS = 50;
const DELIVERIES_EACH = 20;
const EXPIRED = 1000;
const POOLS = 500;
const BUDGETS = 60;
const EXTENSIONS = 700;

useFakeReceivers();

/** Of all rows of this test, so that other files are left alone. */
const owner = newIdentifier();
const webhookIds: string[] = [];

function run(sql: string, ...values: (string | number)[]) {
  return env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) ${sql}`,
  )
    .bind(owner, ...values)
    .run();
}

async function count(sql: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS rows FROM ${sql}`)
    .bind(owner)
    .first<{ rows: number }>();
  return row?.rows ?? Number.NaN;
}

/** What is left to do. */
async function remaining() {
  return {
    deliveries: await count(
      `webhook_deliveries WHERE state = 'pending' AND ?1 <> '' AND webhook_id IN (${webhookIds.map((id) => `'${id}'`)})`,
    ),
    sessions: await count("browser_sessions WHERE organization_id = ?1"),
    pools: await count("browser_pools WHERE organization_id = ?1"),
    budgets: await count("organizations WHERE name = ?1 AND budget_warned_at IS NULL"),
    extensions: await count("extensions WHERE organization_id = ?1"),
  };
}

const NOTHING = { deliveries: 0, sessions: 0, pools: 0, budgets: 0, extensions: 0 };

/** Counts the statements that D1 executes, including each one in a batch. */
function countingDatabase(): { DB: D1Database; executed: () => number } {
  let executed = 0;
  const statements = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped: D1PreparedStatement = new Proxy(statement, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, args);
          if (name === "bind") return wrap(target.bind(...args));
          executed += 1;
          return result;
        };
      },
    });
    statements.set(wrapped, statement);
    return wrapped;
  };
  const DB = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql));
      if (name !== "batch") return Reflect.get(target, name);
      return (batch: D1PreparedStatement[]) => {
        executed += batch.length;
        return target.batch(batch.map((statement) => statements.get(statement) ?? statement));
      };
    },
  });
  return { DB, executed: () => executed };
}

/** Runs the scheduled handler. @returns the number of its queries. */
async function sweep(scheduledTime: number): Promise<number> {
  const { DB, executed } = countingDatabase();
  const context = createExecutionContext();
  await worker.scheduled(
    createScheduledController({ scheduledTime: new Date(scheduledTime) }),
    { ...env, DB },
    context,
  );
  await waitOnExecutionContext(context);
  return executed();
}

describe("the scheduled sweep, when much is due at once", () => {
  beforeAll(async () => {
    for (let made = 0; made < WEBHOOKS; ) {
      const client = await newClient();
      for (let each = 0; each < 10; each += 1, made += 1) webhookIds.push((await createWebhook(client)).id);
    }
    for (const id of webhookIds) {
      await env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO webhook_deliveries SELECT ?1 || i, ?1, 'session.created', '{}', ?3, 'pending', NULL, '[]', ?3, NULL FROM n`,
      )
        .bind(id, DELIVERIES_EACH, Date.now())
        .run();
    }
    const { id } = await insertEndedRow({ organizationId: owner, deletedAt: 1 });
    const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('browser_sessions')").all<{
      name: string;
    }>();
    const columns = results.map(({ name }) => name).filter((name) => name !== "id");
    await run(
      `INSERT INTO browser_sessions (id, ${columns}) SELECT ?1 || i, ${columns} FROM n, browser_sessions WHERE id = ?3`,
      EXPIRED - 1,
      id,
    );
    // Of an organization that is deleted.
    await run(
      `INSERT INTO browser_pools (id, organization_id, name, size, fill_rate_per_minute, timeout_seconds, headless, stealth,
         kiosk_mode, viewport_width, viewport_height, viewport_refresh_rate, created_at)
       SELECT ?1 || i, ?1, 'pool ' || i, 1, 10, 60, 0, 0, 0, 1920, 1080, 25, 1 FROM n`,
      POOLS,
    );
    await run(
      `INSERT INTO extensions (id, organization_id, name, size_bytes, checksum, unsupported, created_at, deleted_at)
       SELECT ?1 || i, ?1, 'x' || i, 1, 'x', '[]', 1, 1 FROM n`,
      EXTENSIONS,
    );
    await run(
      "INSERT INTO organizations (id, name, created_at, soft_budget_usd) SELECT ?1 || i, ?1, 1, 0 FROM n",
      BUDGETS,
    );
  });
  afterAll(async () => {
    await env.DB.prepare("DELETE FROM organizations WHERE name = ?").bind(owner).run();
  });

  it("stays within the queries of an invocation, and finishes in a few runs", async () => {
    const start = Date.now();
    expect(await remaining()).toEqual({
      deliveries: WEBHOOKS * DELIVERIES_EACH,
      sessions: EXPIRED,
      pools: POOLS,
      budgets: BUDGETS,
      extensions: EXTENSIONS,
    });
    const queries: number[] = [];
    for (let minute = 0; minute < MAX_RUNS; minute += 1) {
      queries.push(await sweep(start + minute * MINUTE_MS));
      const left = await remaining();
      if (Object.values(left).every((rows) => rows === 0)) break;
    }
    expect(await remaining()).toEqual(NOTHING);
    expect(queries[0]).toBeGreaterThan(LIMIT / 2);
    expect(Math.max(...queries)).toBeLessThanOrEqual(LIMIT - 50);
    console.info("queries of the runs", queries);
  }, 600_000);
});
