import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "../../../../src/lib/common/settings.ts";
import { newClient, useNewClient } from "../../../api.ts";
import { deployApp } from "../deployed-app.ts";
import { invoke } from "./actions.ts";
import { useBlockedRuns } from "./waiting-runs.ts";

const startRun = useBlockedRuns();
const { MAX_CONCURRENT_INVOCATIONS } = env;

const client = useNewClient();
afterEach(() => {
  env.MAX_CONCURRENT_INVOCATIONS = MAX_CONCURRENT_INVOCATIONS;
});

describe("the limit of concurrent invocations", () => {
  beforeEach(() => {
    env.MAX_CONCURRENT_INVOCATIONS = "2";
    expect(readSettings(env).maxConcurrentInvocations).toBe(2);
  });

  it("holds for concurrent requests and applies per organization", async () => {
    const wait = await deployApp(client, {
      wait: "await new Promise((resolve) => setTimeout(resolve, 1e6));",
    });
    const body = { app_name: wait.name, version: wait.version, action_name: "wait", async: true };
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.post("/invocations", body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json).toMatchObject({
      code: "too_many_requests",
      message: expect.stringContaining("MAX_CONCURRENT_INVOCATIONS"),
    });
    expect(refused?.headers.get("x-should-retry")).toBe("false");
    const other = await newClient();
    expect(await invoke(other, await deployApp(other, { quick: "return 1;" }), "quick")).toMatchObject({
      status: "succeeded",
    });
    await client.delete(`/deployments/${wait.deploymentId}`);
  });

  it("frees a slot when an invocation ends", async () => {
    const runs = [await startRun(client), await startRun(client)];
    const quick = await deployApp(client, { quick: "return 1;" });
    const body = { app_name: quick.name, version: quick.version, action_name: "quick" };
    expect((await client.post("/invocations", body)).status).toBe(429);
    await runs[0]?.finish();
    expect((await client.post("/invocations", body)).status).toBe(200);
  });
});
