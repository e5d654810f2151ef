import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newClient, operator } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { insertEndedRow, insertSessionRow, readSessionRows } from "../records.ts";

const browsers = useFakeBrowsers();

describe("an organization's limit of concurrent sessions", () => {
  it("gives 5 places to exactly 5 of 60 creates at once", async () => {
    const client = await newClient({ max_concurrent_sessions: 5 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.post("/browsers", {})));
    const created = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([created.length, refused.length]).toEqual([5, 55]);
    expect(browsers.launched).toHaveLength(5);
    expect(await readSessionRows(client.organizationId)).toHaveLength(5);
  });

  it("tells which limit it is and that repeating does not help", async () => {
    const client = await newClient({ max_concurrent_sessions: 0 });
    const answer = await client.post("/browsers", {});
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.error).toMatchObject({
      code: "too_many_requests",
      message: expect.stringContaining("max_concurrent_sessions"),
    });
  });

  it("gives a place back when a session ends", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const { session_id } = await client.createSession();
    expect((await client.post("/browsers")).status).toBe(429);
    await client.delete(`/browsers/${session_id}`);
    expect((await client.post("/browsers")).status).toBe(200);
  });

  it("gives a place back when a start fails", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    browsers.refusal = () => new Response("no", { status: 500 });
    expect((await client.post("/browsers")).status).toBe(503);
    browsers.refusal = undefined;
    expect((await client.post("/browsers")).status).toBe(200);
  });

  it("counts starting sessions, and neither ended ones nor another organization's", async () => {
    const client = await newClient({ max_concurrent_sessions: 2 });
    await insertSessionRow({ organizationId: client.organizationId, state: "starting" });
    await insertEndedRow({ organizationId: client.organizationId });
    await insertSessionRow({ organizationId: "somebody else's" });
    expect((await client.post("/browsers")).status).toBe(200);
    expect((await client.post("/browsers")).status).toBe(429);
  });

  it("is the service's default until the operator sets another, at once", async () => {
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

  it("comes after the name: a taken name is 409 also without a place left", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    await client.createSession({ name: "worker" });
    expect((await client.post("/browsers", { name: "worker" })).status).toBe(409);
    expect((await client.post("/browsers", { name: "another" })).status).toBe(429);
  });
});
