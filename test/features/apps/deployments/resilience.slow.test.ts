import { createExecutionContext, createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { deploymentFileKey } from "../../../../src/features/apps/deployments/files.ts";
import type { DeploymentRecord } from "../../../../src/features/apps/deployments/record.ts";
import { deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { deploymentObject } from "../../../../src/features/apps/deployments/stub.ts";
import { sweepDeployments } from "../../../../src/features/apps/deployments/sweep.ts";
import { EventJournal } from "../../../../src/features/apps/event-journal.ts";
import worker from "../../../../src/index.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { type DeploymentRow, deployments } from "../../../../src/lib/database/schema/apps.ts";
import { newClient, ORIGIN, operator, useNewClient } from "../../../api.ts";
import { advanceTime, crashObject } from "../../../objects.ts";
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
const RETRY_DELAY_MS = 30_000;
const HOUR_MS = 3_600_000;
/** A deployment that misses its check never stops. */
const STOP_TIMEOUT_MS = 45_000;
const TEST_TIMEOUT_MS = 60_000;

const client = useNewClient();

/** Inserts a deployment as if the service crashed right after writing the row. */
async function insertUnstarted(details: Partial<DeploymentRow> = {}): Promise<DeploymentRow> {
  const row: DeploymentRow = {
    projectId: "",
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

/** Restarts the object with this record, as if it crashed after reporting only the first state. */
function crashWithRecord(record: DeploymentRecord): Promise<void> {
  return crashObject(deploymentObject(env, record.row.id), (storage) => {
    new EventJournal(storage).record({ state: "queued", reason: null });
    storage.sql.exec("DELETE FROM events WHERE number > 1");
    storage.kv.put("deployment", record);
    storage.kv.put("deadlines", { work: 0 });
    return storage.setAlarm(Date.now() + HOUR_MS);
  });
}

/** Restarts the object as if it crashed between the update of the database and its own. */
async function crashBeforeReporting(id: string): Promise<void> {
  const record = await runInDurableObject(deploymentObject(env, id), (_, { storage }) =>
    storage.kv.get<DeploymentRecord>("deployment"),
  );
  if (record === undefined) throw new Error("The object has no record");
  await crashWithRecord({ ...record, row: { ...record.row, state: "in_progress" } });
}

/** Moves the clock on by a minute, after which the deployment checks again whether it can stop. */
async function hasStoppedAfterMinute(id: string): Promise<boolean> {
  advanceTime(60_000);
  await runAlarm(id);
  const { status } = (await client.get(`/deployments/${id}`)).read(deploymentSchema);
  return status === "stopped";
}

/** An environment where every request to the objects of some deployments fails. */
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

/** @returns undefined if the object was never called. */
function stateInObject(id: string): Promise<string | undefined> {
  return runInDurableObject(
    deploymentObject(env, id),
    (_, { storage }) => storage.kv.get<DeploymentRecord>("deployment")?.row.state,
  );
}

function statesOf(events: Awaited<ReturnType<typeof readEventsUntil>>): string[] {
  return events.flatMap((event) => (event.event === "deployment_state" ? [event.deployment.status] : []));
}

describe("a deployment interrupted by a crash", () => {
  it.each(["queued", "in_progress"] as const)("is resumed while %s", async (state) => {
    const row = await insertUnstarted({ state });
    await crashWithRecord({ row, attempts: 1 });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "running" });
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: row.id }]);
  });

  it("fails after several interruptions", async () => {
    const row = await insertUnstarted({ state: "in_progress" });
    await crashWithRecord({ row, attempts: 3 });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("interrupted"),
    });
  });

  it("does not report its state twice after updating the database", async () => {
    const { id } = await deployAndWait(client, { "index.ts": appSource("told") }, { version: "1" });
    await crashBeforeReporting(id);
    const events = await readEventsUntil(client, id, isSettled);
    expect(statesOf(events)).toEqual(["queued", "running"]);
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: id }]);
  });

  it("does not replace the deployment that replaced it", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    const second = await deployAndWait(client, { "index.ts": appSource("moved") });
    await crashBeforeReporting(first.id);
    await waitUntilSettled(client, first.id);
    expect((await client.get("/apps")).json).toMatchObject([{ deployment: second.id }]);
  });

  it("stops when replaced even if it missed that it was running", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    await crashBeforeReporting(first.id);
    await deployAndWait(client, { "index.ts": appSource("moved") });
    await expect.poll(() => hasStoppedAfterMinute(first.id), { timeout: STOP_TIMEOUT_MS }).toBe(true);
  });

  it("notifies the deployments that it replaced when it stops, if it had not before", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("moved") });
    const failing = vi.spyOn(env.FILES, "delete").mockRejectedValueOnce(new Error("no answer"));
    const second = await deployAndWait(client, { "index.ts": appSource("moved") });
    await expect.poll(() => failing.mock.calls.length).toBe(1);
    failing.mockRestore();
    expect((await client.delete(`/deployments/${second.id}`)).status).toBe(204);
    await expect.poll(() => hasStoppedAfterMinute(first.id), { timeout: STOP_TIMEOUT_MS }).toBe(true);
  });

  it("completes a stop", async () => {
    const row = await insertUnstarted({ state: "in_progress" });
    await crashWithRecord({ row, attempts: 1, stopReason: "Stopped by a call" });
    await waitUntilSettled(client, row.id);
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "stopped" });
  });
});

it("ends the events of a stopped deployment after a restart of the object", async () => {
  const row = await insertUnstarted({ state: "stopped" });
  await crashWithRecord({ row, attempts: 1 });
  expect(statesOf(await readEventsUntil(client, row.id, () => false))).toEqual(["queued"]);
});

it("completes a deployment when the database recovers, and reports each state once", async () => {
  // The only batch publishes the app.
  const failing = vi.spyOn(env.DB, "batch").mockRejectedValueOnce(new Error("D1_ERROR: no answer"));
  const { id } = await deploy(client, { "index.ts": appSource("patient") });
  await expect.poll(() => failing.mock.calls.length).toBe(1);
  failing.mockRestore();
  advanceTime(RETRY_DELAY_MS);
  await runAlarm(id);
  expect((await client.get("/apps")).json).toMatchObject([{ deployment: id }]);
  expect(statesOf(await readEventsUntil(client, id, isSettled))).toEqual([
    "queued",
    "in_progress",
    "running",
  ]);
});

describe("sweepDeployments", () => {
  it("starts unstarted deployments", async () => {
    const row = await insertUnstarted();
    await sweepDeployments(env, Date.now());
    expect((await client.get(`/deployments/${row.id}`)).json).toMatchObject({ status: "queued" });
    // The local service sweeps with this offset after a restart.
    await sweepDeployments(env, Date.now() + 120_001);
    expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
  });

  it("is not blocked by a deployment that cannot be started", async () => {
    const broken = await insertUnstarted({ updatedAt: 1 });
    const row = await insertUnstarted({ updatedAt: 2 });
    await sweepDeployments(
      withBroken((id) => id === broken.id),
      Date.now(),
    );
    expect(await stateInObject(row.id)).toBeDefined();
    expect(await stateInObject(broken.id)).toBeUndefined();
  });

  it("is not blocked by a deployment that cannot be deleted", async () => {
    const { organizationId } = client;
    const broken = await insertUnstarted({ id: `0${newIdentifier().slice(1)}` });
    await insertUnstarted({ id: `z${newIdentifier().slice(1)}` });
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

  it("deletes deployments of deleted organizations only", async () => {
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
    for (const deletedId of [id, failed.id]) {
      const storage = await runInDurableObject(
        deploymentObject(env, deletedId),
        async (_, { storage: left }) => ({
          keys: [...(await left.list()).keys()],
          alarm: await left.getAlarm(),
        }),
      );
      expect(storage).toEqual({ keys: [], alarm: null });
    }
    expect((await kept.get("/apps")).json).toMatchObject([{ deployment: keptId }]);
  });

  it("is called by the scheduled handler", async () => {
    const row = await insertUnstarted({ updatedAt: Date.now() - HOUR_MS });
    await worker.scheduled(
      createScheduledController({ scheduledTime: new Date() }),
      env,
      createExecutionContext(),
    );
    expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
  });
});

it("accepts a deployment that cannot be started immediately, and the sweep starts it", async () => {
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

it("starts an unstarted deployment when its events are read", async () => {
  const row = await insertUnstarted();
  expect(await waitUntilSettled(client, row.id)).toMatchObject({ status: "running" });
});
