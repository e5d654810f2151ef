import { describe, expect, it } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();

describe("a session with a persistence id", () => {
  it("is returned unchanged for each create with the id", async () => {
    const client = await newClient();
    const first = await client.createSession({ persistence: { id: "mine" }, timeout_seconds: 100 });
    const launched = browsers.launched.length;
    const second = await client.createSession({ persistence: { id: "mine" }, timeout_seconds: 200 });
    expect(second.session_id).toBe(first.session_id);
    expect(second.timeout_seconds).toBe(100);
    expect(browsers.launched).toHaveLength(launched);
  });

  it("is returned even at the session limit", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const first = await client.createSession({ persistence: { id: "mine" } });
    expect((await client.createSession({ persistence: { id: "mine" } })).session_id).toBe(first.session_id);
  });

  it("is created once by concurrent requests", async () => {
    const client = await newClient();
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const launched = browsers.launched.length;
    const creating = [1, 2, 3, 4].map(() => client.post("/browsers", { persistence: { id: "mine" } }));
    await expect.poll(() => readSessionRows(client.organizationId)).toHaveLength(1);
    gate.resolve();
    const ids = (await Promise.all(creating)).map((response) => response.read(sessionSchema).session_id);
    expect(new Set(ids).size).toBe(1);
    expect(browsers.launched).toHaveLength(launched + 1);
  });

  it("is separate for each organization", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const mine = await client.createSession({ persistence: { id: "same" } });
    const theirs = await other.createSession({ persistence: { id: "same" } });
    expect(theirs.session_id).not.toBe(mine.session_id);
    expect((await client.delete("/browsers?persistent_id=same")).status).toBe(204);
    expect((await other.get(`/browsers/${theirs.session_id}`)).status).toBe(200);
  });

  it("ends by DELETE /browsers?persistent_id=, which frees the id", async () => {
    const client = await newClient();
    const id = "an id / with & signs";
    const first = await client.createSession({ persistence: { id } });
    const path = `/browsers?persistent_id=${encodeURIComponent(id)}`;
    const response = await client.delete(path);
    expect(response.status).toBe(204);
    expect(response.text).toBe("");
    expect((await client.delete(path)).status).toBe(404);
    expect((await client.get(`/browsers/${first.session_id}`)).status).toBe(404);
    const second = await client.createSession({ persistence: { id } });
    expect(second.session_id).not.toBe(first.session_id);
  });

  it("is not found by any other id", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession({ persistence: { id: "mine" } });
    for (const id of ["Mine", session_id, "min"]) {
      expect((await client.delete(`/browsers?persistent_id=${id}`)).status).toBe(404);
    }
  });
});
