import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { appSchema } from "../../../src/apps/deployments/schema.ts";
import { openDatabase } from "../../../src/database/client.ts";
import { invocations } from "../../../src/database/schema/apps.ts";
import { type Client, newClient } from "../../api.ts";
import { appSource, deployed, runAlarm } from "./deployments.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

/** Which deployment brought the apps that can be invoked. */
async function currentApps(): Promise<unknown> {
  return (await client.get("/apps")).json;
}

describe("a version that is deployed already", () => {
  it("is kept without force, and the newcomer fails with the reason", async () => {
    const first = await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    const second = await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    expect(second).toMatchObject({
      status: "failed",
      status_reason: expect.stringMatching(/Version 1 of a is deployed already.*force/),
    });
    expect(await currentApps()).toMatchObject([{ deployment: first.id, version: "1" }]);
  });

  it("keeps a deployment's other apps out too", async () => {
    await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    const two = `${appSource("a")}\nkernel.app("b").action("run", async (context) => context);`;
    expect(await deployed(client, { "index.ts": two }, { version: "1" })).toMatchObject({ status: "failed" });
    expect(await currentApps()).toMatchObject([{ app_name: "a" }]);
  });

  it("is replaced with force", async () => {
    await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    const second = await deployed(client, { "index.ts": appSource("a") }, { version: "1", force: "true" });
    expect(second.status).toBe("running");
    expect(await currentApps()).toMatchObject([{ deployment: second.id }]);
  });

  it("is replaced without, where the version is latest", async () => {
    await deployed(client, { "index.ts": appSource("a") });
    const second = await deployed(client, { "index.ts": appSource("a") });
    expect(second.status).toBe("running");
    expect(await currentApps()).toMatchObject([{ deployment: second.id }]);
  });

  it("stands beside other versions, other apps and those of other organizations", async () => {
    const stranger = await newClient();
    const all = [
      await deployed(client, { "index.ts": appSource("a") }, { version: "1" }),
      await deployed(client, { "index.ts": appSource("a") }, { version: "2" }),
      await deployed(client, { "index.ts": appSource("b") }, { version: "1" }),
      await deployed(stranger, { "index.ts": appSource("a") }, { version: "1" }),
    ];
    expect(all.map(({ status }) => status)).toEqual(Array(4).fill("running"));
    expect(await currentApps()).toHaveLength(3);
  });

  it("can be deployed anew once it was stopped", async () => {
    const first = await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    expect((await client.delete(`/deployments/${first.id}`)).status).toBe(204);
    const second = await deployed(client, { "index.ts": appSource("a") }, { version: "1" });
    expect(second.status).toBe("running");
  });

  it.each([
    ["without force", "false", ["failed", "failed", "failed", "running"]],
    ["with force", "true", ["running", "running", "running", "running"]],
  ])("of several at once one has it at last, %s", async (_, force, statuses) => {
    const racers = await Promise.all(
      Array.from({ length: 4 }, () =>
        deployed(client, { "index.ts": appSource("race") }, { version: "1", force }),
      ),
    );
    expect(racers.map(({ status }) => status).toSorted()).toEqual(statuses);
    const running = racers.filter(({ status }) => status === "running").map(({ id }) => id);
    expect(await currentApps()).toEqual([expect.objectContaining({ app_name: "race" })]);
    const [app] = (await client.get("/apps")).read(z.array(appSchema));
    expect(running).toContain(app?.deployment);
  });
});

describe("a deployment whose apps were all replaced", () => {
  it("stops, with the reason", async () => {
    const first = await deployed(client, { "index.ts": appSource("a") });
    const second = await deployed(client, { "index.ts": appSource("a") });
    await expect.poll(() => statusOf(first.id)).toBe("stopped");
    expect((await client.get(`/deployments/${first.id}`)).json).toMatchObject({
      status_reason: "Replaced by a later deployment",
    });
    expect(await statusOf(second.id)).toBe("running");
  });

  it("goes on while an invocation of it does", async () => {
    const first = await deployed(client, { "index.ts": appSource("a") });
    const invocationId = await insertRunning(first.id);
    await deployed(client, { "index.ts": appSource("a") });
    // Whether it stops by itself is looked at when it is replaced, and then by its alarm.
    await runAlarm(first.id);
    expect(await statusOf(first.id)).toBe("running");
    await env.DB.prepare("UPDATE invocations SET finished_at = 1, status = 'failed' WHERE id = ?")
      .bind(invocationId)
      .run();
    await expect.poll(async () => [await runAlarm(first.id), await statusOf(first.id)][1]).toBe("stopped");
  });

  it("goes on while one of its apps is there", async () => {
    const two = `${appSource("a")}\nkernel.app("b").action("run", async (context) => context);`;
    const first = await deployed(client, { "index.ts": two });
    await deployed(client, { "index.ts": appSource("a") });
    await runAlarm(first.id);
    expect(await statusOf(first.id)).toBe("running");
    expect((await client.get("/apps?app_name=b")).json).toMatchObject([{ deployment: first.id }]);
  });
});

async function statusOf(id: string): Promise<unknown> {
  const body = (await client.get(`/deployments/${id}`)).json;
  return typeof body === "object" && body !== null && "status" in body ? body.status : undefined;
}

/** An invocation of a deployment that has not ended, without an object behind it. */
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
