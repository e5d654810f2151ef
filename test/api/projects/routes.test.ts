import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { projectLimitsSchema, projectSchema } from "../../../src/api/projects/schema.ts";
import { organizationLimitsSchema } from "../../../src/features/organizations/schema.ts";
import { newClient } from "../../api.ts";
import { createKey, createProject } from "../../features/organizations/projects/projects.ts";

describe("projects", () => {
  it("are created, found by id and name, listed, renamed and deleted", async () => {
    const client = await newClient();
    const project = await createProject(client, "Staging 1");
    expect(project).toMatchObject({ name: "Staging 1", status: "active", updated_at: project.created_at });
    for (const key of [project.id, "Staging%201", "staging%201"]) {
      expect((await client.get(`/org/projects/${key}`)).read(projectSchema)).toEqual(project);
    }
    const list = async (query: string) =>
      (await client.get(`/org/projects${query}`)).read(projectSchema.array()).map(({ name }) => name);
    expect(await list("")).toEqual(["Staging 1", "Default"]);
    expect(await list("?limit=1&offset=1")).toEqual(["Default"]);
    expect(await list("?name=STAGING%201")).toEqual(["Staging 1"]);
    expect(await list("?query=aging")).toEqual(["Staging 1"]);
    const renamed = await client.patch(`/org/projects/${project.id}`, { name: "Production" });
    expect(renamed.read(projectSchema)).toMatchObject({ id: project.id, name: "Production" });
    expect((await client.delete("/org/projects/Production")).status).toBe(204);
    expect((await client.get(`/org/projects/${project.id}`)).status).toBe(404);
    expect((await client.delete(`/org/projects/${project.id}`)).status).toBe(404);
    expect(await list("")).toEqual(["Default"]);
    await createProject(client, "Production");
  });

  it("have unique names in an organization only", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const { id } = await createProject(client, "a");
    await createProject(other, "a");
    await createProject(client, "b");
    for (const name of ["A", "default"]) {
      expect((await client.post("/org/projects", { name })).error.code).toBe("conflict");
    }
    const renamed = await client.patch("/org/projects/b", { name: "A" });
    expect([renamed.status, renamed.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect((await other.get(`/org/projects/${id}`)).status).toBe(404);
    expect((await other.patch(`/org/projects/${id}`, { name: "c" })).status).toBe(404);
    expect((await other.delete(`/org/projects/${id}`)).status).toBe(404);
    const names = await Promise.all(
      Array.from({ length: 20 }, () => client.post("/org/projects", { name: "c" })),
    );
    expect(names.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each([
    ["name", {}],
    ["name", { name: " " }],
    ["name", { name: "é".repeat(256) }],
  ])("refuse a bad %s", async (field, body) => {
    expect((await (await newClient()).post("/org/projects", body)).invalidFields).toEqual([field]);
  });

  it("have a quota", async () => {
    const client = await newClient();
    const quota = env.MAX_PROJECTS;
    env.MAX_PROJECTS = "3";
    try {
      const answers = await Promise.all(
        ["a", "b", "c", "d"].map((name) => client.post("/org/projects", { name })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
    } finally {
      env.MAX_PROJECTS = quota;
    }
  });

  it("count code points of a name", async () => {
    expect((await createProject(await newClient(), "😀".repeat(255))).name).toHaveLength(510);
  });

  it("include the default project, which is the last to stay", async () => {
    const client = await newClient();
    const { organizationId: id } = client;
    expect((await client.get("/browsers", { headers: { "x-kernel-project": "default" } })).status).toBe(200);
    expect((await client.get("/org/projects/default")).read(projectSchema)).toMatchObject({
      id,
      name: "Default",
    });
    expect((await client.get("/org/projects")).read(projectSchema.array())).toHaveLength(1);
    expect((await client.delete(`/org/projects/${id}`)).error.code).toBe("last_active_project");
    const archived = await client.patch(`/org/projects/${id}`, { status: "archived" });
    expect([archived.status, archived.error.code]).toEqual([409, "last_active_project"]);
    expect((await client.patch(`/org/projects/${id}`, { name: "Main" })).read(projectSchema).name).toBe(
      "Main",
    );
  });

  it("are seen by a key of a project only if it is theirs", async () => {
    const client = await newClient();
    const [own, other] = [await createProject(client), await createProject(client)];
    const key = await createKey(client, { project_id: own.id });
    const listed = (await key.get("/org/projects")).read(projectSchema.array());
    expect(listed.map(({ id }) => id)).toEqual([own.id]);
    expect((await key.get(`/org/projects/${other.id}`)).status).toBe(404);
    expect((await key.patch(`/org/projects/${other.id}`, { name: "x" })).status).toBe(404);
    expect((await key.patch(`/org/projects/${own.id}`, { name: "mine" })).status).toBe(200);
    for (const status of ["active", "archived"]) {
      expect((await key.patch(`/org/projects/${own.id}`, { status })).error.code).toBe("forbidden");
    }
    expect((await key.post("/org/projects", { name: "x" })).error.code).toBe("forbidden");
    expect((await key.delete(`/org/projects/${own.id}`)).error.code).toBe("forbidden");
    expect((await key.patch(`/org/projects/${own.id}/limits`, {})).error.code).toBe("forbidden");
    expect((await key.patch("/org/limits", {})).error.code).toBe("forbidden");
    expect((await key.get(`/org/projects/${own.id}/limits`)).status).toBe(200);
  });
});

describe("limits of projects", () => {
  it("are set, kept and cleared", async () => {
    const client = await newClient();
    const { id } = await createProject(client);
    const change = async (body: object) =>
      (await client.patch(`/org/projects/${id}/limits`, body)).read(projectLimitsSchema);
    const none = {
      max_concurrent_sessions: null,
      max_concurrent_invocations: null,
      max_pooled_sessions: null,
    };
    expect((await client.get(`/org/projects/${id}/limits`)).read(projectLimitsSchema)).toEqual(none);
    expect(await change({ max_concurrent_sessions: 3, max_concurrent_invocations: 2 })).toEqual({
      ...none,
      max_concurrent_sessions: 3,
      max_concurrent_invocations: 2,
    });
    expect(await change({ max_concurrent_invocations: 0 })).toEqual({ ...none, max_concurrent_sessions: 3 });
    expect(await change({ max_concurrent_sessions: null })).toEqual(none);
    for (const [field, value] of [
      ["max_pooled_sessions", 1],
      ["max_concurrent_sessions", -1],
    ] as const) {
      const refused = await client.patch(`/org/projects/${id}/limits`, { [field]: value });
      expect(refused.invalidFields).toEqual([field]);
    }
  });

  it("have a default, which the organization's limit bounds", async () => {
    const client = await newClient({ max_concurrent_sessions: 5 });
    const field = "default_project_max_concurrent_sessions";
    const change = async (value?: number | null) =>
      (await client.patch("/org/limits", { [field]: value })).read(organizationLimitsSchema)[field];
    expect(await change(5)).toBe(5);
    expect(await change()).toBe(5);
    expect((await client.patch("/org/limits", { [field]: 6 })).invalidFields).toEqual([field]);
    expect((await client.get("/org/limits")).json).toMatchObject({ [field]: 5, max_concurrent_sessions: 5 });
    expect(await change(0)).toBeNull();
    const ofService = await newClient();
    expect((await ofService.patch("/org/limits", { [field]: 101 })).status).toBe(400);
  });
});
