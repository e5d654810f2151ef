import { describe, expect, it } from "vitest";
import { createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { numberedEventSchema } from "../../../src/features/telemetry/index.ts";
import { Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, runAlarm, runInSession, waitUntilEnded } from "../../objects.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";
import { acquire, createFullPool, endPoolsAfterAll, release } from "../browser-pools/pools.ts";
import { createWebhook, useFakeReceivers } from "../webhooks/webhooks.ts";

const browsers = useFakeBrowsers();
const receivers = useFakeReceivers();
endPoolsAfterAll();

async function readEvents(client: Client, id: string) {
  return (await client.get(`/browsers/${id}/telemetry/events?limit=1000`)).read(numberedEventSchema.array());
}

async function readEnded(client: Client, id: string) {
  return (await client.get(`/browsers/${id}?include_deleted=true`)).read(sessionSchema);
}

describe("an ended session", () => {
  it("names the API keys that created and deleted it", async () => {
    const client = await newClient();
    const created = (await client.post("/org/api_keys", { name: "nightly" })).json;
    const { key, id: keyId } = createdAPIKeySchema.parse(created);
    const other = new Client(key);
    const session = await other.createSession();
    expect(session.api_key).toEqual({ id: keyId, name: "nightly" });
    await client.delete(`/org/api_keys/${keyId}`);
    await client.delete(`/browsers/${session.session_id}`);
    const ended = await readEnded(client, session.session_id);
    expect(ended.api_key).toEqual({ id: keyId, name: "nightly" });
    const { name } = (await client.get(`/org/api_keys/${client.keyId}`)).read(
      createdAPIKeySchema.omit({ key: true }),
    );
    expect(ended.end_details).toBe(`Deleted by API key "${name}".`);
  });

  it("names the pool and the API key that it was acquired with", async () => {
    const client = await newClient();
    const { id, browser_pool_config } = await createFullPool(client, { size: 1, name: "warm" });
    const { session_id, api_key } = await acquire(client, id);
    expect(api_key?.id).toBe(client.keyId);
    await release(client, id, session_id, { reuse: false });
    await client.delete(`/browser_pools/${id}`);
    await expect
      .poll(() => readEnded(client, session_id))
      .toMatchObject({
        end_reason: "released",
        pool: { id, name: browser_pool_config.name },
        api_key,
      });
    expect((await client.listSessions("?status=deleted")).ids).toEqual([session_id]);
  });

  it("says that nobody used it", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession({ timeout_seconds: 30 });
    advanceTime(31_000);
    await runAlarm(id);
    expect((await readEnded(client, id)).end_details).toBe("Nobody used it for 30 seconds.");
  });

  it("says what the lost browser failed with", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    const browserId = browsers.launched.at(-1) ?? "";
    await runInSession(id, () => browsers.kill(browserId));
    await waitUntilEnded(id);
    expect((await readEnded(client, id)).end_details).toMatch(
      /^Its browser crashed, was closed, .*platform\. .+/,
    );
  });

  describe("of a browser that the platform closed", () => {
    it.each<[string, { closeReason?: number; closeReasonText?: string }, RegExp | undefined, string]>([
      ["the details have", { closeReason: 2, closeReasonText: "BrowserIdle" }, undefined, "BrowserIdle"],
      [
        "only the history has",
        { closeReasonText: "BrowserIdle" },
        /^\/v1\/devtools\/session\//,
        "BrowserIdle",
      ],
      ["has a code only", { closeReason: 7 }, undefined, "7"],
    ])("gives the reason that %s, also in its events and webhooks", async (_, reason, refused, told) => {
      const client = await newClient();
      const webhook = await createWebhook(client);
      const { session_id: id } = await client.createSession({ telemetry: { enabled: true } });
      const browserId = browsers.launched.at(-1) ?? "";
      browsers.closeReasons.set(browserId, reason);
      browsers.refusal = ({ path }) =>
        refused?.test(path) ? new Response("no", { status: 404 }) : undefined;
      await runInSession(id, () => browsers.kill(browserId));
      await waitUntilEnded(id);
      expect((await readEnded(client, id)).end_details).toContain(` The platform gives the reason ${told}. `);
      const events = await readEvents(client, id);
      expect(
        events.filter(({ event }) => event.data?.close_reason === told).map(({ event }) => event.type),
      ).toEqual(["service_crashed", "session_ended"]);
      await expect
        .poll(() => receivers.messagesTo(webhook))
        .toContainEqual(
          expect.objectContaining({
            type: "session.crashed",
            data: expect.objectContaining({ session_id: id, close_reason: told }),
          }),
        );
    });

    it.each([
      ["is refused", () => new Response("no", { status: 500 })],
      ["makes no sense", () => Response.json({ closeReason: {}, history: "none" })],
    ])("ends without a reason when the question %s", async (_, answer) => {
      const client = await newClient();
      const { session_id: id } = await client.createSession();
      const browserId = browsers.launched.at(-1) ?? "";
      browsers.refusal = ({ path }) => (/session\/|history/.test(path) ? answer() : undefined);
      await runInSession(id, () => browsers.kill(browserId));
      await waitUntilEnded(id);
      expect((await readEnded(client, id)).end_details).not.toContain("reason");
    });
  });

  it("is found by its invocation", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const invocationId = "i".repeat(24);
    const active = await insertSessionRow({ organizationId, invocationId, createdAt: 2 });
    const ended = await insertEndedRow({
      organizationId,
      invocationId,
      createdAt: 1,
      endReason: "invocation_ended",
    });
    await insertSessionRow({ organizationId });
    await insertSessionRow({ organizationId: "another", invocationId });
    const list = async (status: string) =>
      (await client.listSessions(`?invocation_id=${invocationId}&status=${status}`)).ids;
    expect(await list("active")).toEqual([active.id]);
    expect(await list("deleted")).toEqual([ended.id]);
    expect(await list("all")).toEqual([active.id, ended.id]);
    expect(await readEnded(client, ended.id)).toMatchObject({
      invocation_id: invocationId,
      end_details: `Its invocation ${invocationId} ended.`,
    });
  });
});
