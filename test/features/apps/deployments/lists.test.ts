import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { appSchema, deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { listCurrentApps, listDeployments } from "../../../../src/features/apps/deployments/store.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { apps, deployments } from "../../../../src/lib/database/schema/apps.ts";
import { type Client, newClient } from "../../../api.ts";

const database = openDatabase(env.DB);

let client: Client;
beforeAll(async () => {
  client = await newClient();
  const otherClient = await newClient();
  await insert(client, "one", { name: "Alpha", version: "1" });
  await insert(client, "two", { name: "Alpha", version: "latest" }, { current: false });
  await insert(client, "three", { name: "Alpha", version: "latest" });
  await insert(client, "four", { name: "beta", version: "latest" });
  await insert(client, "five");
  await insert(otherClient, "six", { name: "Alpha", version: "latest" });
});

let inserted = 0;

async function insert(
  { organizationId }: Client,
  id: string,
  app?: { name: string; version: string },
  { current = true } = {},
): Promise<void> {
  inserted += 1;
  const createdAt = 1_700_000_000_000 + inserted;
  await database.insert(deployments).values({
    id: `${id}-${organizationId}`,
    organizationId,
    state: app === undefined ? "failed" : "running",
    stateReason: app === undefined ? "why" : null,
    version: app?.version ?? "latest",
    force: false,
    entrypoint: "index.ts",
    sourceChecksum: "0".repeat(64),
    envNames: ["NAME"],
    envVars: "sealed",
    createdAt,
    updatedAt: createdAt,
  });
  if (app === undefined) return;
  await database.insert(apps).values({
    ...app,
    id: `app-${id}-${organizationId}`,
    organizationId,
    deploymentId: `${id}-${organizationId}`,
    actions: ["run"],
    createdAt,
    current,
  });
}

describe("deployments", () => {
  async function list(query: string) {
    const answer = await client.get(`/deployments${query}`);
    return answer.read(z.array(deploymentSchema)).map(({ id }) => id.split("-")[0]);
  }

  it.each([
    ["all, newest first", "", ["five", "four", "three", "two", "one"]],
    ["one app", "?app_name=Alpha", ["three", "two", "one"]],
    ["nothing for an unknown app", "?app_name=alpha", []],
    ["one version of an app", "?app_name=Alpha&app_version=latest", ["three", "two"]],
    ["app names that contain the query", "?query=ET", ["four"]],
    ["a page", "?limit=2&offset=1", ["four", "three"]],
  ])("lists %s", async (_, query, ids) => {
    expect(await list(query)).toEqual(ids);
  });

  it("finds one by its full id only", async () => {
    expect(await list(`?query=one-${client.organizationId}`)).toEqual(["one"]);
    expect(await list("?query=one")).toEqual([]);
  });

  it("returns pagination headers", async () => {
    const first = await client.get("/deployments?limit=2");
    expect(first.headers.get("x-has-more")).toBe("true");
    expect(first.headers.get("x-next-offset")).toBe("2");
    const last = await client.get("/deployments?limit=2&offset=3");
    expect(last.headers.get("x-has-more")).toBe("false");
    expect(last.headers.get("x-next-offset")).toBeNull();
  });

  it.each([
    ["?app_version=latest", "app_version"],
    ["?limit=0", "limit"],
    ["?offset=-1", "offset"],
  ])("rejects %s", async (query, field) => {
    expect((await client.get(`/deployments${query}`)).invalidFields).toEqual([field]);
  });

  it("returns one as listed, without the values of variables", async () => {
    const answer = await client.get(`/deployments/five-${client.organizationId}`);
    expect(answer.read(deploymentSchema)).toMatchObject({
      status: "failed",
      status_reason: "why",
      env_vars: { NAME: "" },
    });
    expect(answer.text).not.toContain("sealed");
    expect((await client.get("/deployments?limit=1")).json).toEqual([answer.json]);
  });
});

describe("apps", () => {
  async function list(query: string) {
    const answer = await client.get(`/apps${query}`);
    return answer.read(z.array(appSchema)).map(({ deployment }) => deployment.split("-")[0]);
  }

  it.each([
    ["current ones, newest first", "", ["four", "three", "one"]],
    ["one name and version", "?app_name=Alpha&version=latest", ["three"]],
    ["all versions of a name", "?app_name=Alpha", ["three", "one"]],
    ["all apps of a version", "?version=latest", ["four", "three"]],
    ["names that contain the query", "?query=ALP", ["three", "one"]],
    ["a page", "?limit=1&offset=1", ["three"]],
  ])("lists %s", async (_, query, ids) => {
    expect(await list(query)).toEqual(ids);
  });

  it("include their actions, but no values of variables", async () => {
    const [app] = (await client.get("/apps?query=beta")).read(z.array(appSchema));
    expect(app).toEqual({
      id: `app-four-${client.organizationId}`,
      app_name: "beta",
      version: "latest",
      deployment: `four-${client.organizationId}`,
      region: "aws.us-east-1a",
      actions: [{ name: "run" }],
      env_vars: { NAME: "" },
    });
  });
});

describe("list queries", () => {
  it("do not select the values of variables", async () => {
    const page = { limit: 10, offset: 0 };
    const rows = await listDeployments(
      database,
      { organizationId: client.organizationId, projectId: "" },
      {},
      page,
    );
    const current = await listCurrentApps(
      database,
      { organizationId: client.organizationId, projectId: "" },
      {},
      page,
    );
    const shown = [...rows, ...current.map(({ deployment }) => deployment)];
    expect(shown.length).toBeGreaterThan(5);
    for (const deployment of shown) expect(deployment).not.toHaveProperty("envVars");
  });
});
