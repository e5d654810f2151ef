import { createExecutionContext, createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deploymentFileKey } from "../../../src/apps/deployments/files.ts";
import type { DeploymentRecord } from "../../../src/apps/deployments/record.ts";
import { deploymentSchema } from "../../../src/apps/deployments/schema.ts";
import { deploymentObject } from "../../../src/apps/deployments/stub.ts";
import { sweepDeployments } from "../../../src/apps/deployments/sweep.ts";
import { EventJournal } from "../../../src/apps/event-journal.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import { openDatabase } from "../../../src/database/client.ts";
import { type DeploymentRow, deployments } from "../../../src/database/schema/apps.ts";
import worker from "../../../src/index.ts";
import { type Client, newClient, ORIGIN, operator } from "../../api.ts";
import { passTime } from "../../objects.ts";
import {
  appSource,
  deploy,
  deployAndWait,
  deploymentForm,
  isSettled,
  readEventsUntil,
  runAlarm,
  waitUntilSettled,
  zipOf,
} from "./deployments.ts";

const database = openDatabase(env.DB);
/** When the alarm takes up what has failed. */
const RETRY_DELAY_MS = 30_000;
const HOUR_MS = 3_600_000;
/** A deployment that does not look whether it may stop never stops. */
const TIMEOUT_MS = 45_000;
/** Of tests that have so much patience. */
const TEST_TIMEOUT_MS = 60_000;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A deployment as it is when the service ends right after the row was written. */
async function insertForgotten(details: Partial<DeploymentRow> = {}): Promise<DeploymentRow> {
  const row: DeploymentRow = {
    id: newIdentifier(),
    organizationId: client.organizationId,
    state: "queued",
    stateReason: null,
    version: "1",
    force: false,
    entrypoint: "index.ts",
    sourceChecksum: "0".repeat(64),
    sizeBytes: 0,
    grants: null,
    envNames: [],
    envVars: null,
    createdAt: Date.now(),
    updatedAt: Date.now(),
    ...details,
  };
  await env.FILES.put(
    deploymentFileKey(row.organizationId, row.id, "source"),
    zipOf({ "index.ts": appSource("forgotten") }),
  );
  await database.insert(deployments).values(row);
  return row;
}

/** The object's record as a crash has left it, in an object that starts over. Only the first state is told yet. */
async function crashed(record: DeploymentRecord): Promise<void> {
  const stub = deploymentObject(env, record.row.id);
  const crash = runInDurableObject(stub, async (_, state) => {
    new EventJournal(state.storage).record({ state: "queued", reason: null });
    state.storage.sql.exec("DELETE FROM events WHERE number > 1");
    state.storage.kv.put("deployment", record);
    state.storage.kv.put("deadlines", { work: 0 });
    await state.storage.setAlarm(Date.now() + HOUR_MS);
    await state.storage.sync();
    state.abort("crashed by a test");
  });
  await crash.catch(() => undefined);
}

/** The object of a deployment that runs as it was before it knew of that, though the database did. */
async function crashedBeforeTelling(id: string): Promise<void> {
  const record = await runInDurableObject(deploymentObject(env, id), (_, { storage }) =>
    storage.kv.get<DeploymentRecord>("deployment"),
  );
  if (record === undefined) throw new Error("The object has no record");
  await crashed({ ...record, row: { ...record.row, state: "in_progress" } });
}

/** Whether a deployment has stopped a minute after it was looked at last. */
async function hasStopped(id: string): Promise<boolean> {
  passTime(60_000);
  await runAlarm(id);
  const { status } = (await client.get(`/deployments/${id}`)).read(deploymentSchema);
  return status === "stopped";
}

/** An environment in which the objects of some deployments answer nothing. */
function withBroken(isBroken: (id: string) => boolean): Env {
  const namespace = new Proxy(env.DEPLOYMENT, {
    get(target, name) {
      if (name !== "getByName") return Reflect.get(target, name);
      return (id: string) => {
        const stub = target.getByName(id);
        if (!isBroken(id)) return stub;
        return new Proxy(stub, { get: () => () => Promise.reject(new Error("broken by a test")) });
      };
    },
  });
  return { ...env, DEPLOYMENT: namespace };
}

/** The state that a deployment's object knows; undefined: it was never called. */
function stateInObject(id: string): Promise<string | undefined> {
  return runInDurableObject(
    deploymentObject(env, id),
    (_, { storage }) => storage.kv.get<DeploymentRecord>("deployment")?.row.state,
  );
}

function statesOf(events: Awaited<ReturnType<typeof readEventsUntil>>): string[] {
  return events.flatMap((event) => (event.event === "deployment_state" ? [event.deployment.status] : []));
}

describe("a deployment that the service's end has broken off", () => {
  it.each(["queued", "in_progress"] as const)("while it was %s is made all the same", async (state) => {
    const row = await insertForgotten({ state });
    await crashed({ row, attempts: 1 });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "running" });
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: row.id }]);
  });

  it("fails with the reason when it was broken off again and again", async () => {
    const row = await insertForgotten({ state: "in_progress" });
    await crashed({ row, attempts: 3 });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("interrupted"),
    });
  });

  it("after the database was told is not told of twice", async () => {
    const { id } = await deployAndWait(client, { "index.ts": appSource("told") }, { version: "1" });
    await crashedBeforeTelling(id);
    const events = await readEventsUntil(client, id, isSettled);
    expect(statesOf(events)).toEqual(["queued", "running"]);
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: id }]);
  });

  it("after another one has replaced it does not take its place again", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    const second = await deployAndWait(client, { "index.ts": appSource("moved") });
    await crashedBeforeTelling(first.id);
    await waitUntilSettled(client, first.id);
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: second.id }]);
  });

  it("before it knew that it runs stops once another one has replaced it", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    await crashedBeforeTelling(first.id);
    await deployAndWait(client, { "index.ts": appSource("moved") });
    await expect.poll(() => hasStopped(first.id), { timeout: TIMEOUT_MS }).toBe(true);
  });

  it("before it told those that it has replaced tells them when it stops", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    const failing = vi.spyOn(env.FILES, "delete").mockRejectedValueOnce(new Error("no answer"));
    const second = await deployAndWait(client, { "index.ts": appSource("moved") });
    await expect.poll(() => failing.mock.calls.length).toBe(1);
    failing.mockRestore();
    expect((await client.delete(`/deployments/${second.id}`)).status).toBe(204);
    await expect.poll(() => hasStopped(first.id), { timeout: TIMEOUT_MS }).toBe(true);
  });

  it("while it was being stopped is stopped", async () => {
    const row = await insertForgotten({ state: "in_progress" });
    await crashed({ row, attempts: 1, stopReason: "Stopped by a call" });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "stopped" });
  });
});

it("ends the events of a deployment that is over, also in an object that starts over", async () => {
  const row = await insertForgotten({ state: "stopped" });
  await crashed({ row, attempts: 1 });
  expect(statesOf(await readEventsUntil(client, row.id, () => false))).toEqual(["queued"]);
});

it("makes a deployment once the database answers again, and tells each state once", async () => {
  // The only batch publishes the app.
  const failing = vi.spyOn(env.DB, "batch").mockRejectedValueOnce(new Error("D1_ERROR: no answer"));
  const { id } = await deploy(client, { "index.ts": appSource("patient") });
  await expect.poll(() => failing.mock.calls.length).toBe(1);
  failing.mockRestore();
  passTime(RETRY_DELAY_MS);
  await runAlarm(id);
  expect((await client.get("/apps")).json).toMatchObject([{ deployment: id }]);
  expect(statesOf(await readEventsUntil(client, id, isSettled))).toEqual([
    "queued",
    "in_progress",
    "running",
  ]);
});

describe("the sweep", () => {
  it("begins a deployment that nobody has begun", async () => {
    const row = await insertForgotten();
    await sweepDeployments(env, Date.now());
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "queued" });
    await sweepDeployments(env, Date.now() + HOUR_MS);
    expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
  });

  it("is held up by no deployment that it cannot begin", async () => {
    const broken = await insertForgotten({ updatedAt: 1 });
    const row = await insertForgotten({ updatedAt: 2 });
    await sweepDeployments(
      withBroken((id) => id === broken.id),
      Date.now(),
    );
    expect(await stateInObject(row.id)).toBeDefined();
    expect(await stateInObject(broken.id)).toBeUndefined();
  });

  it("is held up by none that it cannot remove, either", async () => {
    const { organizationId } = client;
    const broken = await insertForgotten({ id: `0${newIdentifier().slice(1)}` });
    await insertForgotten({ id: `z${newIdentifier().slice(1)}` });
    await operator.delete(`/admin/organizations/${organizationId}`);
    await sweepDeployments(
      withBroken((id) => id === broken.id),
      Date.now(),
    );
    const left = () =>
      database
        .select({ id: deployments.id })
        .from(deployments)
        .where(eq(deployments.organizationId, organizationId));
    expect(await left()).toEqual([{ id: broken.id }]);
    await sweepDeployments(env, Date.now());
    expect(await left()).toEqual([]);
  });

  it("removes what organizations that are deleted have left, and nothing of others", async () => {
    const kept = await newClient();
    const { id: keptId } = await deployAndWait(kept, { "index.ts": appSource("kept") });
    const { id } = await deployAndWait(client, { "index.ts": appSource("gone") });
    const failed = await deployAndWait(client, { "index.ts": "(((" });
    await operator.delete(`/admin/organizations/${client.organizationId}`);
    await sweepDeployments(env, Date.now());
    const rows = await database
      .select()
      .from(deployments)
      .where(eq(deployments.organizationId, client.organizationId));
    expect(rows).toEqual([]);
    const { objects } = await env.FILES.list({ prefix: `deployments/${client.organizationId}/` });
    expect(objects).toEqual([]);
    for (const gone of [id, failed.id]) {
      const storage = await runInDurableObject(deploymentObject(env, gone), async (_, { storage: left }) => ({
        keys: [...(await left.list()).keys()],
        alarm: await left.getAlarm(),
      }));
      expect(storage).toEqual({ keys: [], alarm: null });
    }
    expect((await kept.get("/apps")).json).toMatchObject([{ deployment: keptId }]);
  });

  it("is part of the service's scheduled run", async () => {
    const row = await insertForgotten({ updatedAt: Date.now() - HOUR_MS });
    await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), env);
    expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
  });
});

it("takes a deployment in that it cannot begin at once, which the sweep begins", async () => {
  const form = deploymentForm(zipOf({ "index.ts": appSource("late") }));
  const headers = { authorization: `Bearer ${client.token}` };
  const response = await worker.fetch(
    new Request(`${ORIGIN}/deployments`, { method: "POST", headers, body: form }),
    withBroken(() => true),
    createExecutionContext(),
  );
  expect(response.status).toBe(200);
  const { id } = deploymentSchema.parse(await response.json());
  expect((await client.get("/deployments")).json).toMatchObject([{ id, status: "queued" }]);
  await sweepDeployments(env, Date.now() + HOUR_MS);
  expect(await waitUntilSettled(client, id)).toMatchObject({ status: "running" });
});

it("follows a deployment that nobody has begun, which begins it", async () => {
  const row = await insertForgotten();
  expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
});
