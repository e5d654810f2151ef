import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deploymentObject } from "../../../../src/features/apps/deployments/stub.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { invocations } from "../../../../src/lib/database/schema/apps.ts";
import { newClient, useNewClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { useDelayedFiles } from "../delayed-files.ts";
import {
  appSource,
  type DeploymentBody,
  deploy,
  deployAndWait,
  runAlarm,
  waitUntilSettled,
} from "./deployments.ts";

const delayFiles = useDelayedFiles();

const client = useNewClient();

async function currentApps(): Promise<unknown> {
  return (await client.get("/apps")).json;
}

describe("an already deployed version", () => {
  it("is kept without force, and the new deployment fails", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    const second = await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    expect(second).toMatchObject({
      status: "failed",
      status_reason: expect.stringMatching(/Version 1 of a is deployed already.*force/),
    });
    expect(await currentApps()).toMatchObject([{ deployment: first.id, version: "1" }]);
  });

  it("fails a new deployment with all of its apps", async () => {
    await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    const two = `${appSource("a")}\nkernel.app("b").action("run", async (context) => context);`;
    expect(await deployAndWait(client, { "index.ts": two }, { version: "1" })).toMatchObject({
      status: "failed",
    });
    expect(await currentApps()).toMatchObject([{ app_name: "a" }]);
  });

  it("is replaced with force", async () => {
    await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    const second = await deployAndWait(
      client,
      { "index.ts": appSource("a") },
      { version: "1", force: "true" },
    );
    expect(second.status).toBe("running");
    expect(await currentApps()).toMatchObject([{ deployment: second.id }]);
  });

  it("is replaced without force if the version is latest", async () => {
    await deployAndWait(client, { "index.ts": appSource("a") });
    const second = await deployAndWait(client, { "index.ts": appSource("a") });
    expect(second.status).toBe("running");
    expect(await currentApps()).toMatchObject([{ deployment: second.id }]);
  });

  it("coexists with other versions, apps and organizations", async () => {
    const otherClient = await newClient();
    const all = [
      await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" }),
      await deployAndWait(client, { "index.ts": appSource("a") }, { version: "2" }),
      await deployAndWait(client, { "index.ts": appSource("b") }, { version: "1" }),
      await deployAndWait(otherClient, { "index.ts": appSource("a") }, { version: "1" }),
    ];
    expect(all.map(({ status }) => status)).toEqual(Array(4).fill("running"));
    expect(await currentApps()).toHaveLength(3);
  });

  it("can be deployed again after it was stopped", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    expect((await client.delete(`/deployments/${first.id}`)).status).toBe(204);
    const second = await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    expect(second.status).toBe("running");
  });

  it("belongs to one of several concurrent deployments without force", async () => {
    const racers = await race("false");
    expect(racers.map(({ status }) => status).toSorted()).toEqual(["failed", "failed", "failed", "running"]);
    const winner = racers.find(({ status }) => status === "running");
    expect(await currentApps()).toEqual([expect.objectContaining({ deployment: winner?.id })]);
  });

  it("belongs to the latest of several concurrent deployments with force", async () => {
    const racers = await race("true");
    const latest = racers.toSorted(
      (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : 1),
    );
    expect(await currentApps()).toEqual([expect.objectContaining({ deployment: latest.at(-1)?.id })]);
  });

  it.each([
    ["latest", { version: "latest" }],
    ["with force", { version: "1", force: "true" }],
  ])("is not replaced by a slower deployment that was created earlier (%s)", async (_, fields) => {
    const gate = Promise.withResolvers<void>();
    let delayedKey: string | undefined;
    delayFiles("get", async (key) => {
      delayedKey ??= key;
      if (key === delayedKey) await gate.promise;
    });
    const slow = await deploy(client, { "index.ts": appSource("a") }, fields);
    await expect.poll(() => delayedKey).toContain(slow.id);
    const quick = await deployAndWait(client, { "index.ts": appSource("a") }, fields);
    gate.resolve();
    expect(await waitUntilSettled(client, slow.id)).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("A later deployment has taken its place"),
    });
    expect(await currentApps()).toMatchObject([{ deployment: quick.id }]);
    expect(await statusOf(quick.id)).toBe("running");
  });
});

describe("a replaced deployment", () => {
  it("stops", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("a") });
    const second = await deployAndWait(client, { "index.ts": appSource("a") });
    await expect.poll(() => statusOf(first.id)).toBe("stopped");
    expect((await client.get(`/deployments/${first.id}`)).json).toMatchObject({
      status_reason: "Replaced by a later deployment",
    });
    expect(await statusOf(second.id)).toBe("running");
  });

  it("keeps running while one of its invocations runs", async () => {
    const first = await deployAndWait(client, { "index.ts": appSource("a") });
    const invocationId = await insertRunning(first.id);
    await deployAndWait(client, { "index.ts": appSource("a") });
    // It cannot stop yet, so it has scheduled another check.
    await expect.poll(async () => (await deadlinesOf(first.id)).retire).toBeGreaterThan(Date.now() + 10_000);
    expect(await statusOf(first.id)).toBe("running");
    await env.DB.prepare("UPDATE invocations SET finished_at = 1, status = 'failed' WHERE id = ?")
      .bind(invocationId)
      .run();
    await expect.poll(() => statusAfterMinute(first.id)).toBe("stopped");
  });

  it("keeps running while one of its apps is current", async () => {
    const two = `${appSource("a")}\nkernel.app("b").action("run", async (context) => context);`;
    const first = await deployAndWait(client, { "index.ts": two });
    const second = await deployAndWait(client, { "index.ts": appSource("a") });
    // By then it has notified the deployments that it replaced.
    await waitForIdle(second.id);
    // An unneeded notice must not stop it.
    await deploymentObject(env, first.id).retire();
    await waitForIdle(first.id);
    expect(await statusOf(first.id)).toBe("running");
    expect((await client.get("/apps?app_name=b")).json).toMatchObject([{ deployment: first.id }]);
  });
});

async function statusOf(id: string): Promise<unknown> {
  const body = (await client.get(`/deployments/${id}`)).json;
  return typeof body === "object" && body !== null && "status" in body ? body.status : undefined;
}

/** Moves the clock on by a minute, after which the deployment checks again whether it can stop. */
async function statusAfterMinute(id: string): Promise<unknown> {
  advanceTime(60_000);
  await runAlarm(id);
  return statusOf(id);
}

function deadlinesOf(id: string): Promise<Partial<Record<string, number>>> {
  return runInDurableObject(
    deploymentObject(env, id),
    (_, { storage }) => storage.kv.get<Record<string, number>>("deadlines") ?? {},
  );
}

/** Waits until the object has nothing left to do except delete old lines. */
function waitForIdle(id: string): Promise<void> {
  return expect.poll(async () => Object.keys(await deadlinesOf(id))).toEqual(["lines"]);
}

async function insertRunning(deploymentId: string): Promise<string> {
  const id = crypto.randomUUID();
  await openDatabase(env.DB).insert(invocations).values({
    id,
    organizationId: client.organizationId,
    appName: "a",
    version: "latest",
    actionName: "run",
    deploymentId,
    status: "running",
    statusReason: null,
    payload: null,
    payloadInFiles: false,
    output: null,
    outputInFiles: false,
    startedAt: Date.now(),
    finishedAt: null,
    logsKept: false,
  });
  return id;
}

function race(force: string): Promise<DeploymentBody[]> {
  return Promise.all(
    Array.from({ length: 4 }, () =>
      deployAndWait(client, { "index.ts": appSource("race") }, { version: "1", force }),
    ),
  );
}
