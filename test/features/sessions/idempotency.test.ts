import { describe, expect, it } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { ageIdempotencyKeys, readIdempotencyKeys, readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();
const KEY = { "idempotency-key": "the key" };
const DAY_MS = 24 * 60 * 60 * 1000;

describe("Idempotency-Key on POST /browsers", () => {
  it("returns the same session for the same key and an equivalent body", async () => {
    const client = await newClient();
    const first = await client.post("/browsers", { headless: true, timeout_seconds: 60 }, KEY);
    const second = await client.call("POST", "/browsers", {
      text: '{ "timeout_seconds": 60, "unknown": 1, "headless": true }',
      headers: { ...KEY, "content-type": "application/json" },
    });
    const { session_id } = first.read(sessionSchema);
    expect(second.read(sessionSchema).session_id).toBe(session_id);
    expect(await readSessionRows(client.organizationId)).toHaveLength(1);
  });

  it("creates another session for another key, no key, or another organization", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const responses = [
      await client.post("/browsers", {}, KEY),
      await client.post("/browsers", {}, { "idempotency-key": "another key" }),
      await client.post("/browsers", {}),
      await other.post("/browsers", {}, KEY),
    ];
    expect(new Set(responses.map((response) => response.read(sessionSchema).session_id)).size).toBe(4);
  });

  it("makes a second request wait for the first one's session", async () => {
    const client = await newClient();
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const launched = browsers.launched.length;
    const first = client.post("/browsers", {}, KEY);
    await expect.poll(() => readSessionRows(client.organizationId)).toHaveLength(1);
    const second = client.post("/browsers", {}, KEY);
    const unfinished = Symbol("unfinished");
    expect(await Promise.race([second, readIdempotencyKeys("nobody").then(() => unfinished)])).toBe(
      unfinished,
    );
    gate.resolve();
    expect((await second).read(sessionSchema).session_id).toBe((await first).read(sessionSchema).session_id);
    expect(browsers.launched).toHaveLength(launched + 1);
  });

  it("creates one session for concurrent requests", async () => {
    const client = await newClient();
    const launched = browsers.launched.length;
    const responses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => client.post("/browsers", {}, KEY)));
    const ids = responses.map((response) => response.read(sessionSchema).session_id);
    expect(new Set(ids).size).toBe(1);
    expect(browsers.launched).toHaveLength(launched + 1);
  });

  it("returns 409 for another body", async () => {
    const client = await newClient();
    await client.post("/browsers", { headless: true }, KEY);
    const response = await client.post("/browsers", { headless: false }, KEY);
    expect(response.status).toBe(409);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await readSessionRows(client.organizationId)).toHaveLength(1);
  });

  it("returns 409 once the session has ended", async () => {
    const client = await newClient();
    const { session_id } = (await client.post("/browsers", {}, KEY)).read(sessionSchema);
    await client.delete(`/browsers/${session_id}`);
    const response = await client.post("/browsers", {}, KEY);
    expect(response.status).toBe(409);
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  it("is released after a failed create", async () => {
    const client = await newClient();
    browsers.refusal = () => new Response("no", { status: 500 });
    const failed = await Promise.all([1, 2].map(() => client.post("/browsers", {}, KEY)));
    expect(failed.map(({ status }) => status)).toEqual([503, 503]);
    expect(await readIdempotencyKeys(client.organizationId)).toEqual([]);
    browsers.refusal = undefined;
    expect((await client.post("/browsers", { headless: true }, KEY)).status).toBe(200);
  });

  it("is released after a rejected create", async () => {
    const client = await newClient({ max_concurrent_sessions: 0 });
    expect((await client.post("/browsers", {}, KEY)).status).toBe(429);
    expect((await client.post("/browsers", { headless: 1 }, KEY)).status).toBe(400);
    expect(await readIdempotencyKeys(client.organizationId)).toEqual([]);
  });

  it("expires at the end of its retention", async () => {
    const client = await newClient();
    const first = (await client.post("/browsers", {}, KEY)).read(sessionSchema);
    await ageIdempotencyKeys(client.organizationId, DAY_MS - 60_000);
    expect((await client.post("/browsers", {}, KEY)).read(sessionSchema).session_id).toBe(first.session_id);
    await ageIdempotencyKeys(client.organizationId, 61_000);
    const second = (await client.post("/browsers", { headless: true }, KEY)).read(sessionSchema);
    expect(second.session_id).not.toBe(first.session_id);
    expect(await readIdempotencyKeys(client.organizationId)).toMatchObject([
      { sessionId: second.session_id },
    ]);
  });

  it.each([["   "], ["x".repeat(256)]])("is rejected when it is %j", async (key) => {
    const client = await newClient();
    const response = await client.post("/browsers", {}, { "idempotency-key": key });
    expect(response.invalidFields).toEqual(["Idempotency-Key"]);
  });

  it("repeats the session of an existing persistence id", async () => {
    const client = await newClient();
    const body = { persistence: { id: "mine" } };
    const { session_id } = await client.createSession(body);
    for (let request = 0; request < 2; request += 1) {
      expect((await client.post("/browsers", body, KEY)).read(sessionSchema).session_id).toBe(session_id);
    }
  }, 5000);
});
