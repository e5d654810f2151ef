import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { finishInvocation } from "../../../src/features/apps/invocations/store.ts";
import { markSessionEnded } from "../../../src/features/sessions/store.ts";
import { readMetrics } from "../../../src/features/usage/metrics.ts";
import { countPending } from "../../../src/features/webhooks/index.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { counters } from "../../../src/lib/database/schema/usage.ts";
import { Client, newClient, operator } from "../../api.ts";
import { explain } from "../../query-plans.ts";
import { insertSessionRow } from "../../records.ts";
import { insertInvocationRow } from "../apps/invocations/invocations.ts";

const database = openDatabase(env.DB);

const SAMPLE = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\d+(?:\.\d+)?)$/;

/** Parses the text format, in which the samples of a metric follow its help and type. */
async function scrape(): Promise<Map<string, number>> {
  const response = await operator.get("/metrics");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const samples = new Map<string, number>();
  let current: string | undefined;
  for (const line of response.text.trimEnd().split("\n")) {
    const [, kind, name] = /^# (HELP|TYPE) ([a-z_]+) \S/.exec(line) ?? [];
    if (kind === "HELP") current = name;
    else if (kind === "TYPE") expect(line).toMatch(new RegExp(`^# TYPE ${current} (gauge|counter)$`));
    else {
      const [, metric, labels = "", value] = SAMPLE.exec(line) ?? [];
      expect(metric, line).toBe(current);
      expect(samples.has(`${metric}${labels}`), "a sample is there once").toBe(false);
      samples.set(`${metric}${labels}`, Number(value));
    }
  }
  expect(response.text).toMatch(/\n$/);
  return samples;
}

it("has what lives, and counts what ended once", async () => {
  const { organizationId } = await newClient();
  const living = 'berth_sessions{state="idle",pooled="true"}';
  const lost = 'berth_sessions_ended_total{reason="browser_lost"}';
  const failed = 'berth_invocations_finished_total{status="failed"}';
  const before = await scrape();
  await insertSessionRow({ organizationId, state: "idle", poolId: "pool" });
  const { id } = await insertSessionRow({ organizationId });
  const invocation = await insertInvocationRow({ organizationId });
  const end = {
    status: "failed",
    finishedAt: 1,
    statusReason: null,
    output: null,
    outputInFiles: false,
  } as const;
  for (let n = 0; n < 2; n += 1) {
    await markSessionEnded(database, id, { reason: "browser_lost", at: Date.now() });
    await finishInvocation(database, invocation.id, end);
  }
  const after = await scrape();
  const growth = [living, lost, failed].map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0));
  expect(growth).toEqual([1, 1, 1]);
  expect(after.has('berth_sessions_ended_total{reason="failed"}')).toBe(false);
  expect(after.get("berth_database_bytes")).toBeGreaterThan(100_000);
  expect(after.get("berth_organizations_over_budget")).toBeDefined();
  expect(after.get("berth_launches_waiting")).toBe(0);
});

it("is for the operator only", async () => {
  for (const client of [
    await newClient(),
    new Client(),
    new Client("operator-token-of-nobody-at-all-32-bytes"),
  ]) {
    expect((await client.get("/metrics")).status).toBe(401);
  }
});

it("escapes labels", async () => {
  const row = { name: "sessions_ended", label: 'a "quote"\\\n', value: 1 } as const;
  await database.insert(counters).values(row);
  const samples = await scrape();
  expect(samples.get('berth_sessions_ended_total{reason="a \\"quote\\"\\\\\\n"}')).toBe(1);
  await database.delete(counters).where(eq(counters.label, row.label));
});

it("reads living rows by partial indexes", async () => {
  const statements = await explain((recorded) =>
    readMetrics(recorded, { browsers: 0, launches_waiting: 0 }, countPending),
  );
  expect(statements).toHaveLength(2);
  const steps = statements.flatMap(({ plan }) => plan).filter((step) => /^S(CAN|EARCH)/.test(step));
  for (const step of steps.filter((text) => /browser_sessions|invocations|deliveries/.test(text))) {
    expect(step).toMatch(
      / USING (COVERING )?INDEX (browser_sessions_living|invocations_unfinished|webhook_deliveries_pending)/,
    );
  }
});
