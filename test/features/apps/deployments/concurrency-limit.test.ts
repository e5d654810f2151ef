import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { readSettings } from "../../../../src/lib/common/settings.ts";
import { type Client, newClient } from "../../../api.ts";
import { useDelayedFiles } from "../delayed-files.ts";
import { appSource, deploy, deploymentForm, postDeployment, waitUntilSettled, zipOf } from "./deployments.ts";

const ZIP = zipOf({ "index.ts": appSource("queue") });
const { MAX_CONCURRENT_DEPLOYMENTS } = env;
const delayFiles = useDelayedFiles();

let client: Client;
beforeEach(async () => {
  client = await newClient();
  env.MAX_CONCURRENT_DEPLOYMENTS = "2";
  expect(readSettings(env).maxConcurrentDeployments).toBe(2);
});
afterEach(() => {
  env.MAX_CONCURRENT_DEPLOYMENTS = MAX_CONCURRENT_DEPLOYMENTS;
});

describe("the limit of concurrent deployments", () => {
  it("holds per organization, stores nothing of rejected deployments, and frees slots", async () => {
    const gate = Promise.withResolvers<void>();
    // The first step of a deployment is to read its files.
    delayFiles("get", () => gate.promise);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => postDeployment(client, deploymentForm(ZIP))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429, 429]);
    const rejected = answers.find(({ status }) => status === 429);
    expect(rejected?.json).toMatchObject({
      code: "too_many_requests",
      message: expect.stringContaining("MAX_CONCURRENT_DEPLOYMENTS"),
    });
    expect(rejected?.headers.get("retry-after")).toBe("10");
    const { objects } = await env.FILES.list({ prefix: `deployments/${client.organizationId}/` });
    expect(objects).toHaveLength(2);
    const other = await newClient();
    const accepted = await deploy(other, { "index.ts": appSource("queue") });

    gate.resolve();
    const ids = answers
      .filter(({ status }) => status === 200)
      .map((answer) => answer.read(deploymentSchema).id);
    for (const id of ids) await waitUntilSettled(client, id);
    await waitUntilSettled(other, accepted.id);
    expect((await postDeployment(client, deploymentForm(ZIP))).status).toBe(200);
  });
});
