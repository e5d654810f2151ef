import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type DeploymentEvent, deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import {
  createdInvocationSchema,
  invocationSchema,
} from "../../../../src/features/apps/invocations/schema.ts";
import { useNewClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { appSource, deploy, deployAndWait, isSettled, readEventsUntil, runAlarm } from "./deployments.ts";

const RETRY_DELAY_MS = 30_000;

const client = useNewClient();

function isState(event: DeploymentEvent, status: string): boolean {
  return event.event === "deployment_state" && event.deployment.status === status;
}

async function expectNothingLeft(id: string): Promise<void> {
  const { objects } = await env.FILES.list({ prefix: `deployments/${client.organizationId}/${id}/` });
  expect(objects).toEqual([]);
  expect((await client.get("/apps")).json).toEqual([]);
}

it("stops a running deployment, removes its apps and ends its events", async () => {
  const { id } = await deployAndWait(client, { "index.ts": appSource("a") });
  const followed = readEventsUntil(client, id, () => false);
  expect((await client.delete(`/deployments/${id}`)).status).toBe(204);
  expect((await followed).at(-1)).toMatchObject({
    event: "deployment_state",
    deployment: { status: "stopped", status_reason: "Stopped by a call" },
  });
  await expectNothingLeft(id);
  expect((await client.get("/deployments")).json).toMatchObject([{ id, status: "stopped" }]);
  const invoked = await client.post("/invocations", { app_name: "a", action_name: "run", version: "latest" });
  expect(invoked.status).toBe(400);
});

it("fails running invocations of the deployment", async () => {
  const source = appSource("a").replace(
    "=> context.invocation_id",
    "=> new Promise((end) => setTimeout(end, 60_000))",
  );
  const { id } = await deployAndWait(client, { "index.ts": source });
  const answer = await client.post("/invocations", {
    app_name: "a",
    action_name: "run",
    version: "latest",
    async: true,
  });
  expect(answer.status).toBe(202);
  const invocation = createdInvocationSchema.parse(answer.json);
  expect((await client.delete(`/deployments/${id}`)).status).toBe(204);
  const after = (await client.get(`/invocations/${invocation.id}`)).read(invocationSchema);
  expect(after).toMatchObject({ status: "failed", status_reason: "The deployment was stopped" });
});

describe("stopping a deployment that is not running", () => {
  it("responds with 204 and changes nothing", async () => {
    const failed = await deployAndWait(client, { "index.ts": "(((" });
    const stopped = await deployAndWait(client, { "index.ts": appSource("a") });
    await client.delete(`/deployments/${stopped.id}`);
    const before = (await client.get("/deployments")).json;
    for (const { id } of [failed, stopped]) {
      expect((await client.delete(`/deployments/${id}`)).status).toBe(204);
    }
    expect((await client.get("/deployments")).json).toEqual(before);
    const events = await readEventsUntil(client, stopped.id, () => false);
    expect(events.filter(isSettled)).toHaveLength(2);
  });

  it("responds with 404 for an unknown deployment", async () => {
    expect((await client.delete("/deployments/aaaaaaaaaaaaaaaaaaaaaaaa")).status).toBe(404);
  });
});

describe("stopping a deployment in progress leaves nothing behind", () => {
  const moments: [string, (event: DeploymentEvent) => boolean][] = [
    ["before it starts", () => true],
    ["when it starts", (event) => isState(event, "in_progress")],
    ["while it is bundled", (event) => event.event === "log" && event.message.startsWith("Bundling")],
    ["while it is loaded", (event) => event.event === "log" && event.message.startsWith("Loading")],
    ["as soon as it runs", (event) => isState(event, "running")],
  ];
  it.each(moments)("%s", async (_, isMoment) => {
    const { id } = await deploy(client, { "index.ts": appSource("a") });
    await readEventsUntil(client, id, isMoment);
    expect((await client.delete(`/deployments/${id}`)).status).toBe(204);
    const events = await readEventsUntil(client, id, () => false);
    expect(events.at(-1)).toMatchObject({ deployment: { status: "stopped" } });
    await expectNothingLeft(id);
  });
});

it("deletes files stored after the stop", async () => {
  const put = env.FILES.put.bind(env.FILES);
  const storing = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const stored = vi.spyOn(env.FILES, "put").mockImplementation(async (key, ...rest) => {
    if (key.includes("bundle.js")) {
      storing.resolve();
      await stopped.promise;
    }
    return put(key, ...rest);
  });
  const { id } = await deploy(client, { "index.ts": appSource("a") });
  await storing.promise;
  expect((await client.delete(`/deployments/${id}`)).status).toBe(204);
  stopped.resolve();
  await Promise.all(stored.mock.results.map(({ value }) => value));
  stored.mockRestore();
  await expect
    .poll(async () => (await env.FILES.list({ prefix: `deployments/${client.organizationId}/` })).objects)
    .toEqual([]);
});

describe("stopped deployments", () => {
  async function listOf(app: string): Promise<string[]> {
    const answer = await client.get(`/deployments?app_name=${app}&limit=100`);
    return answer.read(z.array(deploymentSchema)).map(({ id }) => id);
  }

  it("leave the list of their app, so that a client can delete all of them", async () => {
    const replaced = await deployAndWait(client, { "index.ts": appSource("a") });
    await deployAndWait(client, { "index.ts": appSource("a") });
    await deployAndWait(client, { "index.ts": appSource("a") }, { version: "1" });
    const other = await deployAndWait(client, { "index.ts": appSource("b") });
    await expect
      .poll(async () => (await client.get(`/deployments/${replaced.id}`)).json)
      .toMatchObject({ status: "stopped" });
    const rounds: string[][] = [];
    for (let ids = await listOf("a"); ids.length > 0 && rounds.length < 3; ids = await listOf("a")) {
      rounds.push(ids);
      const answers = await Promise.all(ids.map((id) => client.delete(`/deployments/${id}`)));
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204));
    }
    expect(rounds).toEqual([expect.objectContaining({ length: 3 })]);
    expect(await listOf("b")).toEqual([other.id]);
    expect((await client.get("/deployments")).json).toHaveLength(4);
  });

  it("leave the list of their app when the alarm retries a failed stop", async () => {
    const { id } = await deployAndWait(client, { "index.ts": appSource("a") });
    const failing = vi.spyOn(env.DB, "batch").mockRejectedValueOnce(new Error("D1_ERROR: no answer"));
    expect((await client.delete(`/deployments/${id}`)).status).toBe(503);
    failing.mockRestore();
    advanceTime(RETRY_DELAY_MS);
    await runAlarm(id);
    expect(await listOf("a")).toEqual([]);
  });
});

it("stops once for concurrent requests", async () => {
  const { id } = await deployAndWait(client, { "index.ts": appSource("a") });
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.delete(`/deployments/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(204));
  const events = await readEventsUntil(client, id, () => false);
  expect(events.filter((event) => isState(event, "stopped"))).toHaveLength(1);
});

it("retries a stop in the alarm when the database fails", async () => {
  const { id } = await deployAndWait(client, { "index.ts": appSource("a") });
  const failing = vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("D1_ERROR: no answer"));
  const answer = await client.delete(`/deployments/${id}`);
  expect(answer.status).toBe(503);
  advanceTime(RETRY_DELAY_MS);
  await runAlarm(id);
  expect(failing).toHaveBeenCalledTimes(2);
  failing.mockRestore();
  advanceTime(RETRY_DELAY_MS);
  await runAlarm(id);
  expect((await client.get(`/deployments/${id}`)).json).toMatchObject({ status: "stopped" });
  await expectNothingLeft(id);
});
