import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { BROWSER_RUN_PATH } from "../../../../src/api/connect/dialects.ts";
import { runKeys } from "../../../../src/features/apps/index.ts";
import { createRunKey } from "../../../../src/features/apps/invocations/run-key.ts";
import { poolSchema } from "../../../../src/features/browser-pools/schema.ts";
import { profileSchema } from "../../../../src/features/profiles/schema.ts";
import { sessionSchema } from "../../../../src/features/sessions/session-schema.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { Client, newClient, ORIGIN, upgrade } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { readSessionRow } from "../../../records.ts";
import { deployApp } from "../../apps/deployed-app.ts";
import { insertInvocationRow } from "../../apps/invocations/invocations.ts";
import { createPool, endPoolsAfterAll } from "../../browser-pools/pools.ts";
import { uploadExtension } from "../../extensions/extensions.ts";
import { createProxy } from "../../proxies/proxies.ts";
import { createKey, createProject } from "./projects.ts";

useFakeBrowsers();
endPoolsAfterAll();

const NAME = "same-name";

/** Paths of the resources that belong to projects. */
const PATHS = {
  browsers: "session",
  browser_pools: "pool",
  extensions: "extension",
  profiles: "profile",
  proxies: "proxy",
  deployments: "deployment",
  invocations: "invocation",
} as const;

let client: Client;
let first: Client;
let ids: Record<(typeof PATHS)[keyof typeof PATHS], string>;
/** Callers that act in other projects of the organization. */
let others: [who: string, caller: Client][];

async function moveToProject(table: string, id: string, project: string): Promise<void> {
  await env.DB.prepare(`UPDATE ${table} SET project_id = ? WHERE id = ?`).bind(project, id).run();
}

beforeAll(async () => {
  client = await newClient();
  const { id } = await createProject(client);
  const { id: second } = await createProject(client);
  first = client.inProject(id);
  const app = await deployApp(client, { act: "return null" });
  ids = {
    session: (await first.createSession({ name: NAME, timeout_seconds: 3600 })).session_id,
    pool: (await createPool(first, { size: 1, name: NAME })).id,
    extension: (await uploadExtension(client)).id,
    profile: (await first.post("/profiles", { name: NAME })).read(profileSchema).id,
    proxy: (await createProxy(first, { type: "isp", name: NAME })).id,
    deployment: app.deploymentId,
    invocation: (await insertInvocationRow({ organizationId: client.organizationId, projectId: id })).id,
  };
  await moveToProject("extensions", ids.extension, id);
  await moveToProject("deployments", ids.deployment, id);
  await moveToProject("apps", app.id, id);
  others = [
    ["the default project", client],
    ["another project", client.inProject(second)],
    ["a key of another project", await createKey(client, { project_id: second })],
    ["a key of the default project", await createKey(client, { project_id: client.organizationId })],
  ];
});

describe("a resource of another project", () => {
  it.each(Object.keys(PATHS))("is not listed by /%s", async (path) => {
    for (const [who, caller] of others) expect((await caller.get(`/${path}`)).json, who).toEqual([]);
    expect((await first.get(`/${path}`)).json).toHaveLength(1);
  });

  it("is not listed by /apps and the stream of sessions", async () => {
    for (const [who, caller] of others) expect((await caller.get("/apps")).json, who).toEqual([]);
    expect((await first.get("/apps")).json).toHaveLength(1);
  });

  it("cannot be selected by a session or pool", async () => {
    const references = [
      { profile: { id: ids.profile } },
      { profile: { name: NAME } },
      { proxy_id: ids.proxy },
      { extensions: [{ id: ids.extension }] },
    ];
    for (const [who, caller] of others) {
      for (const reference of references) {
        const field = Object.keys(reference);
        expect((await caller.post("/browsers", reference)).invalidFields, who).toEqual(field);
        expect((await caller.post("/browser_pools", { size: 1, ...reference })).invalidFields, who).toEqual(
          field,
        );
      }
      expect((await caller.post("/browsers", { invocation_id: ids.invocation })).invalidFields).toEqual([
        "invocation_id",
      ]);
      expect(
        (await caller.post("/invocations", { app_name: "any", version: "1", action_name: "act" })).status,
      ).toBe(400);
    }
  });

  it("is not connected to by an address with a key", async () => {
    for (const [who, { token }] of others) {
      const response = await upgrade(`${ORIGIN}${BROWSER_RUN_PATH}/${ids.session}?token=${token}`);
      expect(response.status, who).toBe(404);
    }
  });

  it("is unchanged after all these requests", async () => {
    expect(await readSessionRow(ids.session)).toMatchObject({ state: "active", name: NAME });
    expect((await first.get(`/browsers/${ids.session}`)).read(sessionSchema).session_id).toBe(ids.session);
    expect((await first.get(`/browser_pools/${NAME}`)).read(poolSchema).id).toBe(ids.pool);
    expect((await first.get(`/profiles/${NAME}`)).read(profileSchema).id).toBe(ids.profile);
    for (const path of ["extensions", "proxies", "deployments", "invocations"] as const) {
      const suffix = path === "extensions" ? "/metadata" : "";
      expect((await first.get(`/${path}/${ids[PATHS[path]]}${suffix}`)).status).toBe(200);
    }
  });

  it("does not occupy its name", async () => {
    for (const [, caller] of [others[0], others[1]].filter((other) => other !== undefined)) {
      await caller.createSession({ name: NAME });
      await createPool(caller, { size: 1, name: NAME });
      expect((await caller.post("/profiles", { name: NAME })).status).toBe(200);
      expect((await caller.post("/browsers", { name: NAME })).status).toBe(409);
    }
    expect((await first.post("/profiles", { name: NAME })).status).toBe(409);
  });
});

it("idempotency keys and persistence ids are those of a project", async () => {
  const key = { "idempotency-key": "key" };
  const inFirst = (await first.post("/browsers", {}, key)).read(sessionSchema);
  const inDefault = (await client.post("/browsers", {}, key)).read(sessionSchema);
  expect(inDefault.session_id).not.toBe(inFirst.session_id);
  expect((await first.post("/browsers", {}, key)).read(sessionSchema).session_id).toBe(inFirst.session_id);
  const persistence = { persistence: { id: "kept" } };
  const kept = (await first.createSession(persistence)).session_id;
  expect((await client.createSession(persistence)).session_id).not.toBe(kept);
  expect((await first.createSession(persistence)).session_id).toBe(kept);
});

it("a run acts in the project of its invocation", async () => {
  const expiresAt = Date.now() + 60_000;
  const { project_id: projectId } = (await env.DB.prepare("SELECT project_id FROM invocations WHERE id = ?")
    .bind(ids.invocation)
    .first<{ project_id: string }>()) ?? { project_id: "" };
  const run = { organizationId: client.organizationId, projectId, invocationId: ids.invocation, expiresAt };
  const caller = new Client(await createRunKey(env, run));
  const isActive = runKeys.isActive;
  runKeys.isActive = async () => true;
  try {
    const { session_id } = await caller.createSession();
    expect(await readSessionRow(session_id)).toMatchObject({ projectId, invocationId: ids.invocation });
    expect((await first.get(`/browsers/${session_id}`)).status).toBe(200);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(404);
    expect((await caller.inProject(projectId).get("/browsers")).status).toBe(200);
    expect((await caller.inProject(client.organizationId).get("/browsers")).status).toBe(403);
  } finally {
    runKeys.isActive = isActive;
  }
});

describe("the header of a project", () => {
  it("selects it by id, and by name in X-Kernel-Project only", async () => {
    const owner = await newClient();
    const { id, name } = await createProject(owner, "Named One");
    const { id: archived } = await createProject(owner, "old");
    await owner.patch(`/org/projects/${archived}`, { status: "archived" });
    const { id: foreign } = await createProject(await newClient(), "foreign");
    await owner.inProject(id).post("/profiles", { name: "in-project" });
    await owner.post("/profiles", { name: "in-default" });
    const key = await createKey(owner, { project_id: id });
    const ofArchived = await (async () => {
      await owner.patch(`/org/projects/${archived}`, { status: "active" });
      const created = await createKey(owner, { project_id: archived });
      await owner.patch(`/org/projects/${archived}`, { status: "archived" });
      return created;
    })();
    const [ID, NAMED] = ["x-kernel-project-id", "x-kernel-project"];
    const table: [who: Client, headers: Record<string, string>, expected: string | number][] = [
      [owner, {}, "in-default"],
      [owner, { [ID]: "" }, "in-default"],
      [owner, { [ID]: owner.organizationId }, "in-default"],
      [owner, { [NAMED]: owner.organizationId }, "in-default"],
      [owner, { [NAMED]: "Default" }, "in-default"],
      [owner, { [ID]: "Default" }, 404],
      [owner, { [ID]: id }, "in-project"],
      [owner, { [NAMED]: id }, "in-project"],
      [owner, { [NAMED]: name }, "in-project"],
      [owner, { [NAMED]: "named one" }, "in-project"],
      [owner, { [ID]: name }, 404],
      [owner, { [ID]: id, [NAMED]: id }, "in-project"],
      [owner, { [ID]: id, [NAMED]: owner.organizationId }, 400],
      [owner, { [ID]: archived }, 404],
      [owner, { [NAMED]: "old" }, 404],
      [owner, { [ID]: foreign }, 404],
      [owner, { [NAMED]: "foreign" }, 404],
      [key, {}, "in-project"],
      [key, { [ID]: id }, "in-project"],
      [key, { [NAMED]: "named one" }, "in-project"],
      [key, { [ID]: name }, 403],
      [key, { [ID]: owner.organizationId }, 403],
      [key, { [NAMED]: "Default" }, 403],
      [key, { [ID]: archived }, 403],
      [ofArchived, {}, 404],
      [ofArchived, { [ID]: archived }, 404],
    ];
    for (const [who, headers, expected] of table) {
      const answer = await who.get("/profiles", { headers });
      const names = answer.status === 200 ? answer.read(profileSchema.array()).map((each) => each.name) : [];
      expect(names[0] ?? answer.status, JSON.stringify(headers)).toBe(expected);
      if (expected === 404) expect(answer.error.code).toBe("project_not_found");
    }
    await owner.patch(`/org/projects/${archived}`, { status: "active" });
    expect((await ofArchived.get("/profiles")).status).toBe(200);
  });

  it("does not select a project that is named like the deleted one of a key", async () => {
    const owner = await newClient();
    const { id } = await createProject(owner);
    const key = await createKey(owner, { project_id: id });
    await owner.delete(`/org/projects/${id}`);
    await createProject(owner, id);
    for (const header of ["x-kernel-project", "x-kernel-project-id"]) {
      const answer = await key.get("/profiles", { headers: { [header]: id } });
      expect(answer.error.code).toBe("project_not_found");
    }
    expect((await key.get("/profiles")).status).toBe(404);
  });

  it("is looked up once in 30 seconds", async () => {
    const owner = await newClient();
    const calls = owner.inProject((await createProject(owner)).id);
    await calls.get("/profiles");
    await env.DB.prepare("UPDATE projects SET status = 'archived' WHERE organization_id = ?")
      .bind(owner.organizationId)
      .run();
    expect((await calls.get("/profiles")).status).toBe(200);
  });

  it("is obeyed by addresses that create a session", async () => {
    const owner = await newClient();
    const { id } = await createProject(owner);
    const response = await upgrade(`${ORIGIN}/connect?token=${owner.token}&session=connected`, {
      "x-kernel-project-id": id,
    });
    expect(response.status).toBe(101);
    response.webSocket?.accept();
    expect((await owner.inProject(id).get("/browsers/connected")).status).toBe(200);
    expect((await owner.get("/browsers/connected")).status).toBe(404);
    response.webSocket?.close();
    const body = { capabilities: { alwaysMatch: {} } };
    expect((await owner.inProject(newIdentifier()).post("/session", body)).status).toBe(404);
  });
});
