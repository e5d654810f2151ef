import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { readOverview } from "../../../src/api/organizations/overview.ts";
import { overviewSchema } from "../../../src/api/organizations/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { readSettings } from "../../../src/lib/common/settings.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type DeploymentRow, deployments } from "../../../src/lib/database/schema/apps.ts";
import { browserPools } from "../../../src/lib/database/schema/browser-pools.ts";
import { extensions } from "../../../src/lib/database/schema/extensions.ts";
import { type Client, newClient, operator } from "../../api.ts";
import { insertInvocationRow } from "../../features/apps/invocations/invocations.ts";
import { insertReplayRow } from "../../features/recordings/recordings.ts";
import { createWebhook, insertDelivery, useFakeReceivers } from "../../features/webhooks/webhooks.ts";
import { explain } from "../../query-plans.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

useFakeReceivers();
const database = openDatabase(env.DB);

const HOUR_MS = 3_600_000;
const MIDDAY = Date.parse("2030-05-01T12:34:56.000Z");
/** The start of the first and the last hour. */
const FIRST = Date.parse("2030-04-30T13:00:00.000Z");
const LAST = Date.parse("2030-05-01T12:00:00.000Z");

let client: Client;
let organizationId: string;

beforeEach(async () => {
  client = await newClient({ max_concurrent_sessions: 7, max_pooled_sessions: 5 });
  ({ organizationId } = client);
  vi.useFakeTimers({ toFake: ["Date"], now: MIDDAY });
});

async function overview(of = client): Promise<z.infer<typeof overviewSchema>> {
  return (await of.get("/org/overview")).read(overviewSchema);
}

/** The hours in which something happened, without zero counts. */
async function busyHours(): Promise<Record<string, object>> {
  const { hours } = await overview();
  const entries = hours.map(({ starts_at, ...counts }) => [
    starts_at,
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  ]);
  return Object.fromEntries(entries.filter(([, counts]) => Object.keys(Object(counts)).length > 0));
}

async function insertDeployment(details: Partial<DeploymentRow>): Promise<void> {
  await database.insert(deployments).values({
    id: newIdentifier(),
    organizationId,
    state: "running",
    version: "latest",
    force: false,
    entrypoint: "index.ts",
    sourceChecksum: "",
    envNames: [],
    createdAt: MIDDAY,
    updatedAt: MIDDAY,
    ...details,
  });
}

async function insertPool(size: number): Promise<string> {
  const id = newIdentifier();
  await database.insert(browserPools).values({
    id,
    organizationId,
    size,
    fillRatePerMinute: 0,
    timeoutSeconds: 60,
    headless: false,
    stealth: false,
    kioskMode: false,
    viewportWidth: 1920,
    viewportHeight: 1080,
    viewportRefreshRate: 25,
    createdAt: MIDDAY,
  });
  return id;
}

describe("GET /org/overview", () => {
  it("has nothing but limits for a new organization", async () => {
    const { maxConcurrentInvocations, quotas } = readSettings(env);
    const { hours, ...rest } = await overview();
    expect(rest).toEqual({
      sessions: { active: 0, limit: 7 },
      pools: { pools: 0, size: 0, available: 0, acquired: 0, limit: 5 },
      invocations: { running: 0, queued: 0, limit: maxConcurrentInvocations },
      storage: { used_bytes: 0, limit_bytes: quotas.storedBytes },
      errors: {
        sessions_lost: 0,
        invocations_failed: 0,
        deployments_failed: 0,
        webhook_deliveries_failed: 0,
      },
    });
    expect(hours.map(({ starts_at }) => Date.parse(starts_at))).toEqual(
      Array.from({ length: 24 }, (_, hour) => FIRST + hour * HOUR_MS),
    );
    expect(await busyHours()).toEqual({});
  });

  it("has the service's limits for an organization without its own", async () => {
    const { maxConcurrentSessions, maxPooledSessions } = readSettings(env);
    expect(await overview(await newClient())).toMatchObject({
      sessions: { limit: maxConcurrentSessions },
      pools: { limit: maxPooledSessions },
    });
  });

  it("counts what is in use of the limits", async () => {
    await insertSessionRow({ organizationId });
    await insertSessionRow({ organizationId, state: "starting" });
    await insertEndedRow({ organizationId });
    const poolId = await insertPool(3);
    await insertPool(2);
    for (const state of ["idle", "idle", "active", "starting", "ended"] as const) {
      await insertSessionRow({ organizationId, poolId, state });
    }
    for (const status of ["running", "running", "queued", "succeeded"] as const) {
      await insertInvocationRow({ organizationId, status });
    }
    await insertDeployment({ sizeBytes: 1000 });
    await insertDeployment({ sizeBytes: 5000, state: "stopped" });
    const extension = { organizationId, checksum: "", unsupported: [], createdAt: 1 };
    await database.insert(extensions).values({ ...extension, id: newIdentifier(), sizeBytes: 200 });
    await insertReplayRow({ organizationId, sessionId: "any", sizeBytes: 30 });
    expect(await overview()).toMatchObject({
      sessions: { active: 2 },
      pools: { pools: 2, size: 5, available: 2, acquired: 1 },
      invocations: { running: 2, queued: 1 },
      storage: { used_bytes: 1230 },
    });
  });

  it("sorts what happened into hours, from the first one on", async () => {
    for (const createdAt of [FIRST - 1, FIRST, FIRST + HOUR_MS - 1, FIRST + HOUR_MS]) {
      await insertSessionRow({ organizationId, createdAt });
    }
    await insertSessionRow({ organizationId, createdAt: LAST, state: "starting" });
    await insertEndedRow({ organizationId, createdAt: 1, deletedAt: FIRST - 1, endReason: "browser_lost" });
    await insertEndedRow({ organizationId, createdAt: 1, deletedAt: MIDDAY });
    await insertEndedRow({ organizationId, createdAt: 1, deletedAt: MIDDAY, endReason: "browser_lost" });
    await insertInvocationRow({ organizationId, startedAt: FIRST - 1 });
    await insertInvocationRow({ organizationId, startedAt: LAST });
    expect(await busyHours()).toEqual({
      "2030-04-30T13:00:00.000Z": { sessions_created: 2 },
      "2030-04-30T14:00:00.000Z": { sessions_created: 1 },
      "2030-05-01T12:00:00.000Z": { sessions_ended: 2, invocations_started: 1, errors: 1 },
    });
    expect((await overview()).errors).toMatchObject({ sessions_lost: 1 });
  });

  it("counts failures by kind, in the hours in which they came", async () => {
    const failed = { organizationId, status: "failed", startedAt: FIRST - HOUR_MS } as const;
    await insertInvocationRow({ ...failed, finishedAt: FIRST - 1 });
    await insertInvocationRow({ ...failed, finishedAt: FIRST });
    await insertInvocationRow({ ...failed, status: "succeeded", finishedAt: FIRST });
    for (const state of ["failed", "failed", "running", "stopped"] as const) {
      await insertDeployment({ state, updatedAt: FIRST });
    }
    await insertDeployment({ state: "failed", updatedAt: FIRST - 1 });
    const { id } = await createWebhook(client);
    const ended = { createdAt: FIRST - 24 * HOUR_MS, endedAt: MIDDAY };
    await insertDelivery(id, { ...ended, state: "failed" });
    await insertDelivery(id, { ...ended, state: "failed", endedAt: FIRST - 1 });
    await insertDelivery(id, { ...ended, state: "failed", eventType: "webhook.test" });
    await insertDelivery(id, { ...ended, state: "delivered" });
    await insertDelivery(id, { state: "pending" });
    expect((await overview()).errors).toEqual({
      sessions_lost: 0,
      invocations_failed: 1,
      deployments_failed: 2,
      webhook_deliveries_failed: 1,
    });
    expect(await busyHours()).toEqual({
      "2030-04-30T13:00:00.000Z": { errors: 3 },
      "2030-05-01T12:00:00.000Z": { errors: 1 },
    });
  });

  it("has nothing of another organization", async () => {
    const before = await overview();
    const other = await newClient();
    const owned = { organizationId: other.organizationId };
    await insertSessionRow(owned);
    await insertEndedRow({ ...owned, endReason: "browser_lost" });
    await insertInvocationRow({ ...owned, status: "failed", finishedAt: MIDDAY });
    await insertReplayRow({ ...owned, sessionId: "any", sizeBytes: 30 });
    await insertDelivery((await createWebhook(other)).id, { state: "failed", endedAt: MIDDAY });
    expect(await overview()).toEqual(before);
  });

  it("is not for the operator, who has no organization", async () => {
    expect((await operator.get("/org/overview")).status).toBe(401);
  });
});

describe("the statements of an overview", () => {
  it("use indexes of the organization, and read nothing of the others", async () => {
    await createWebhook(client);
    const statements = await explain((recorded) =>
      readOverview(recorded, organizationId, readSettings(env), MIDDAY),
    );
    expect(statements).toHaveLength(11);
    const steps = statements.flatMap(({ plan }) => plan).filter((detail) => /^(SEARCH|SCAN)/.test(detail));
    expect(steps.length).toBeGreaterThan(13);
    for (const step of steps) {
      expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \((organization_id|webhook_id|id)=\?/);
    }
  });
});
