import { applyD1Migrations, createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import costs from "../docs/costs.md?raw";
import service from "../src/index.ts";
import { useFakeBrowsers } from "./fakes/browser-binding.ts";
import { sizeOfLane } from "./lane.ts";
import { recordStatements, type Statement } from "./recorded-statements.ts";

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;
const DAYS_PER_MONTH = 30;

/** Hours are alike, so the default lane runs one. */
const MINUTES = sizeOfLane(60, MINUTES_PER_DAY);

const START = Date.UTC(2026, 10, 1);

const ENDED_SESSIONS = 1000;

const INSERT_ENDED = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 - 1)
  INSERT INTO browser_sessions (
    id, organization_id, state, tags, headless, stealth, kiosk_mode, timeout_seconds, viewport_width, viewport_height,
    viewport_refresh_rate, created_at, deleted_at, end_reason
  )
  SELECT lower(hex(randomblob(12))), ?2, 'ended', '{}', 0, 0, 0, 60, 1920, 1080, 25, ?3, ?3, 'deleted' FROM numbers`;

/** From https://developers.cloudflare.com/r2/pricing/. Deletes are free. */
const CLASS_A = ["list", "put", "createMultipartUpload", "resumeMultipartUpload"];
const CLASS_B = ["get", "head"];

useFakeBrowsers();

const ORGANIZATION_ID = "idleorganization00000000";

const operations: string[] = [];
const statements: Statement[] = [];

/** A deployment of its own, because those of other test files are not idle. */
const idle: Env = {
  ...env,
  DB: recordStatements(env.IDLE_DB, statements),
  FILES: recordOperations(env.IDLE_FILES),
  BROWSER_BROKER: new Proxy(env.BROWSER_BROKER, {
    get: (broker) => (name: string) => broker.get(broker.idFromName(`idle ${name}`)),
  }),
};

beforeAll(async () => {
  await applyD1Migrations(env.IDLE_DB, env.TEST_MIGRATIONS);
  const insertOrganization = "INSERT INTO organizations (id, name, created_at) VALUES (?, 'idle', ?)";
  await env.IDLE_DB.batch([
    env.IDLE_DB.prepare(insertOrganization).bind(ORGANIZATION_ID, START),
    env.IDLE_DB.prepare(INSERT_ENDED).bind(ENDED_SESSIONS, ORGANIZATION_ID, START),
  ]);
});

function recordOperations(files: R2Bucket): R2Bucket {
  return new Proxy(files, {
    get: (target, name) => {
      operations.push(String(name));
      return Reflect.get(target, name).bind(target);
    },
  });
}

/** Runs the statements again. */
async function countRows(): Promise<{ read: number; written: number }> {
  const prepared = statements.map(({ query, parameters }) => env.IDLE_DB.prepare(query).bind(...parameters));
  const results = await env.IDLE_DB.batch(prepared);
  const sum = (name: string) => results.reduce((rows, { meta }) => rows + Number(meta[name]), 0);
  return { read: sum("rows_read"), written: sum("rows_written") };
}

const perDay = (names: string[]) =>
  (operations.filter((name) => names.includes(name)).length * MINUTES_PER_DAY) / MINUTES;

const format = (count: number) => count.toLocaleString("en-US");

it("costs what its page says", async () => {
  operations.length = 0;
  statements.length = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const scheduledTime = new Date(START + minute * MINUTE_MS);
    await service.scheduled(createScheduledController({ scheduledTime }), idle, createExecutionContext());
  }
  const lists = perDay(CLASS_A);
  expect(lists).toBeLessThanOrEqual(1000);
  expect(perDay(CLASS_B)).toBe(0);
  expect(costs).toContain(`${format(lists)} times a day (${format(lists * DAYS_PER_MONTH)} class A`);
  const queries = Math.round(statements.length / MINUTES);
  const { read, written } = await countRows();
  expect(costs).toContain(
    `${queries} queries of D1, which read ${Math.round(read / MINUTES)} rows and write none`,
  );
  expect(written).toBe(0);
}, 600_000);
