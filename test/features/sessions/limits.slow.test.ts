import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetOrganization } from "../../../src/features/organizations/authentication.ts";
import { newClient, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow, insertSessionRow, readSessionRows } from "../../records.ts";
import { createProject } from "../organizations/projects/projects.ts";

const browsers = useFakeBrowsers();

describe("an organization's limit of concurrent sessions", () => {
  it("admits exactly 5 of 30 concurrent creates", async () => {
    const client = await newClient({ max_concurrent_sessions: 5 });
    const responses = await Promise.all(Array.from({ length: 30 }, () => client.post("/browsers", {})));
    const created = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 429);
    expect([created.length, refused.length]).toEqual([5, 25]);
    expect(browsers.launched).toHaveLength(5);
    expect(await readSessionRows(client.organizationId)).toHaveLength(5);
  });

  it("is named in the error, which forbids retries", async () => {
    const client = await newClient({ max_concurrent_sessions: 0 });
    const response = await client.post("/browsers", {});
    expect(response.status).toBe(429);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(response.error).toMatchObject({
      code: "too_many_requests",
      message: expect.stringContaining("max_concurrent_sessions"),
    });
  });

  it("frees a slot when a session ends", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const { session_id } = await client.createSession();
    expect((await client.post("/browsers")).status).toBe(429);
    await client.delete(`/browsers/${session_id}`);
    expect((await client.post("/browsers")).status).toBe(200);
  });

  it("frees a slot when a start fails", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    browsers.refusal = () => new Response("no", { status: 500 });
    expect((await client.post("/browsers")).status).toBe(503);
    browsers.refusal = undefined;
    expect((await client.post("/browsers")).status).toBe(200);
  });

  it("counts starting sessions, but no ended ones or other organizations'", async () => {
    const client = await newClient({ max_concurrent_sessions: 2 });
    await insertSessionRow({ organizationId: client.organizationId, state: "starting" });
    await insertEndedRow({ organizationId: client.organizationId });
    await insertSessionRow({ organizationId: "somebody else's" });
    expect((await client.post("/browsers")).status).toBe(200);
    expect((await client.post("/browsers")).status).toBe(429);
  });

  it("defaults to the service's until the operator sets another", async () => {
    const client = await newClient();
    env.MAX_CONCURRENT_SESSIONS = "0";
    try {
      expect((await client.post("/browsers")).status).toBe(429);
      await operator.patch(`/admin/organizations/${client.organizationId}`, { max_concurrent_sessions: 1 });
      expect((await client.post("/browsers")).status).toBe(200);
      await operator.patch(`/admin/organizations/${client.organizationId}`, {
        max_concurrent_sessions: null,
      });
      expect((await client.post("/browsers")).status).toBe(429);
    } finally {
      env.MAX_CONCURRENT_SESSIONS = "100";
    }
  });

  it("is checked after the name", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    await client.createSession({ name: "worker" });
    expect((await client.post("/browsers", { name: "worker" })).status).toBe(409);
    expect((await client.post("/browsers", { name: "another" })).status).toBe(429);
  });
});

describe("creates at the limit, again and again", () => {
  const namespace = env.BROWSER_SESSION;
  const objects: string[] = [];

  beforeEach(() => {
    objects.length = 0;
    env.BROWSER_SESSION = new Proxy(namespace, {
      get: (target, property) => {
        if (property !== "getByName") return Reflect.get(target, property, target);
        return (...[name, options]: Parameters<typeof namespace.getByName>) => {
          objects.push(name);
          return target.getByName(name, options);
        };
      },
    });
  });
  afterEach(() => {
    env.BROWSER_SESSION = namespace;
  });

  it("start no object at a limit of 0", async () => {
    const client = await newClient({ max_concurrent_sessions: 0 });
    expect((await client.post("/browsers")).status).toBe(429);
    expect(objects).toEqual([]);
  });

  it("start one object, and get the same answer without it", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const { session_id } = await client.createSession();
    const answers: [number, Record<string, string>, string][] = [];
    for (let count = 0; count < 3; count += 1) {
      const { status, headers, text } = await client.post("/browsers");
      answers.push([status, { ...Object.fromEntries(headers), "x-ratelimit-remaining": "" }, text]);
    }
    const [first] = answers;
    expect(first?.[0]).toBe(429);
    expect(answers).toEqual([first, first, first]);
    expect(new Set(objects).size).toBe(2);
    await client.delete(`/browsers/${session_id}`);
    expect((await client.post("/browsers")).status).toBe(200);
  });

  it("start no object while the browser of another create is launched", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const creating = client.post("/browsers");
    try {
      await expect.poll(() => browsers.launching).toBe(1);
      expect((await client.post("/browsers")).status).toBe(429);
      const started = objects.length;
      expect((await client.post("/browsers")).status).toBe(429);
      expect(objects).toHaveLength(started);
    } finally {
      gate.resolve();
    }
    expect((await creating).status).toBe(200);
  });

  it("launch no browser in a region while sessions of another one are at the limit", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    await client.createSession({ region: "weur" });
    const statuses: number[] = [];
    const launched = browsers.launched.length;
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await client.post("/browsers", { region: "enam" })).status);
    }
    expect([statuses, browsers.launched.length - launched]).toEqual([[429, 429, 429], 1]);
  });
});

interface OwnLimit {
  set: (ids: { organizationId: string; projectId: string }) => string;
  status: number;
  code: string;
  message: string;
}

const TOO_MANY = { status: 429, code: "too_many_requests" };

describe.each<[string, OwnLimit]>([
  [
    "a project's limit",
    {
      ...TOO_MANY,
      set: ({ projectId }) => `UPDATE projects SET max_concurrent_sessions = 1 WHERE id = '${projectId}'`,
      message: "The project has reached its limit",
    },
  ],
  [
    "the organization's limit for each project",
    {
      ...TOO_MANY,
      set: ({ organizationId }) =>
        `UPDATE organizations SET default_project_max_concurrent_sessions = 1 WHERE id = '${organizationId}'`,
      message: "The project has reached its limit",
    },
  ],
  [
    "a key's limit",
    {
      ...TOO_MANY,
      set: ({ organizationId }) =>
        `UPDATE api_keys SET max_concurrent_sessions = 1 WHERE organization_id = '${organizationId}'`,
      message: "The API key has reached its limit",
    },
  ],
  [
    "a used up hard budget",
    {
      status: 402,
      code: "budget_exceeded",
      set: ({ organizationId }) =>
        `UPDATE organizations SET hard_budget_usd = 1, over_budget_until = 4e12 WHERE id = '${organizationId}'`,
      message: "The organization's budget of this month (hard_budget_usd) is used up",
    },
  ],
])("a create beyond %s", (_, { set, status, code, message }) => {
  /** An organization with a session in a project, and a cached key. */
  async function newCaller() {
    const client = await newClient();
    const { organizationId, keyId: apiKeyId } = client;
    const { id: projectId } = await createProject(client);
    const calls = client.inProject(projectId);
    await calls.get("/browsers");
    await insertSessionRow({ organizationId, projectId, apiKeyId });
    await env.DB.prepare(set({ organizationId, projectId })).run();
    return { organizationId, calls };
  }

  it("is refused with its own message, before a browser is launched", async () => {
    const { organizationId, calls } = await newCaller();
    forgetOrganization(organizationId);
    const launched = browsers.launched.length;
    const response = await calls.post("/browsers");
    expect([response.status, response.error.code]).toEqual([status, code]);
    expect(response.error.message).toContain(message);
    expect(browsers.launched).toHaveLength(launched);
    expect(await readSessionRows(organizationId)).toHaveLength(1);
  });

  it("is refused with the same message by the insert while the cached key does not know it", async () => {
    const { organizationId, calls } = await newCaller();
    const launched = browsers.launched.length;
    const response = await calls.post("/browsers");
    expect([response.status, response.error.code]).toEqual([status, code]);
    expect(response.error.message).toContain(message);
    const [browserId = ""] = browsers.launched.slice(launched);
    await expect.poll(() => browsers.closed).toContain(browserId);
    expect(await readSessionRows(organizationId)).toHaveLength(1);
  });
});
