import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { numberedEventSchema } from "../../../src/features/telemetry/schema.ts";
import { type Client, newClient, ORIGIN, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, EMPTY_STORAGE, readStorage, restart, runAlarm } from "../../objects.ts";
import { Listener } from "../../sockets.ts";

useFakeBrowsers();

type Event = z.infer<typeof numberedEventSchema>;

async function readEvents(client: Client, id: string, query = ""): Promise<Event[]> {
  const response = await client.get(`/browsers/${id}/telemetry/events?limit=1000&${query}`);
  return response.read(numberedEventSchema.array());
}

function typesOf(events: readonly Event[]): string[] {
  return events.map(({ event }) => event.type);
}

function parseStream(text: string) {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id = "", data = ""]) => {
    const item = numberedEventSchema.parse(JSON.parse(data));
    expect(item.seq).toBe(Number(id));
    return item;
  });
}

async function findArchives(client: Client): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `telemetry/${client.organizationId}/` });
  return objects.map(({ key }) => key);
}

describe("a session's telemetry", () => {
  it("is configured when it is created and changed", async () => {
    const client = await newClient();
    const { session_id: id, telemetry } = await client.createSession({ telemetry: { enabled: true } });
    expect(telemetry?.browser).toMatchObject({ control: { enabled: true }, console: { enabled: false } });
    const change = async (body: object | null) => {
      const response = await client.patch(`/browsers/${id}`, { telemetry: body });
      expect(response.status, response.text).toBe(200);
      return (await client.get(`/browsers/${id}`)).json;
    };
    const console = { browser: { console: { enabled: true } } };
    expect(await change(console)).toMatchObject({
      telemetry: { browser: { console: { enabled: true }, control: { enabled: true } } },
    });
    expect(await change(null)).toMatchObject({ telemetry: { browser: { console: { enabled: true } } } });
    expect(await change({ enabled: false })).toMatchObject({ telemetry: null });
    const refused = await client.patch(`/browsers/${id}`, {
      name: "changed",
      telemetry: { enabled: false, ...console },
    });
    expect(refused.invalidFields).toEqual(["telemetry.browser"]);
    expect(await change({})).toMatchObject({ telemetry: null });
    expect((await client.get(`/browsers/${id}`)).json).not.toHaveProperty("name");
  });

  it("is null by default, and still has connections and API calls", async () => {
    const client = await newClient();
    const session = await client.createSession();
    const id = session.session_id;
    expect(session.telemetry).toBeNull();
    const socket = await openSocket(session.cdp_ws_url);
    const listener = new Listener(socket);
    socket.send('{"id":7,"method":"Browser.getVersion"}');
    await listener.first(1);
    socket.close(1000);
    await expect.poll(async () => typesOf(await readEvents(client, id))).toContain("cdp_disconnect");
    await client.patch(`/browsers/${id}`, { name: "n" });
    const events = await readEvents(client, id);
    expect(typesOf(events)).toEqual([
      "session_started",
      "api_call",
      "cdp_connect",
      "cdp_disconnect",
      "api_call",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[1]?.event).toMatchObject({
      category: "control",
      source: { kind: "kernel_api" },
      data: { operation_id: "createBrowserSession", status: 200, duration_ms: expect.any(Number) },
    });
    expect(events[3]?.event.data).toMatchObject({
      reason: "client_close",
      message_count: expect.any(Number),
    });
    expect(events[4]?.event.data).toMatchObject({ operation_id: "changeBrowserSession", status: 200 });
  });

  it("records nothing when it is switched off", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession({ telemetry: { enabled: false } });
    await client.get(`/browsers/${id}`);
    expect(await readEvents(client, id)).toEqual([]);
    await client.delete(`/browsers/${id}`);
    expect(await readEvents(client, id)).toEqual([]);
    expect(await findArchives(client)).toEqual([]);
  });

  it("survives a restart of the session's object", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    expect(typesOf(await readEvents(client, id))).toContain("session_started");
    await restart(id);
    await client.get(`/browsers/${id}`);
    const events = await readEvents(client, id);
    expect(typesOf(events)).toEqual(["session_started", "api_call", "api_call"]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("is kept in a file when the session ends, and deleted later", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    await client.delete(`/browsers/${id}`);
    const events = await readEvents(client, id);
    expect(typesOf(events)).toEqual(["session_started", "api_call", "session_ended"]);
    expect(events.at(-1)?.event.data).toEqual({ reason: "deleted" });
    await expect.poll(() => findArchives(client)).toHaveLength(1);
    expect(await readEvents(client, id)).toEqual(events);
    expect(await readEvents(client, id, "order=desc")).toEqual(events.reverse());
    expect((await readStorage(id)).tables).toEqual([]);

    const retentionMs = Number(env.TELEMETRY_RETENTION_SECONDS) * 1000;
    advanceTime(retentionMs - 60_000);
    await runAlarm(id);
    expect(await findArchives(client)).toHaveLength(1);
    advanceTime(60_000);
    await runAlarm(id);
    expect(await findArchives(client)).toEqual([]);
    expect(await readStorage(id)).toEqual(EMPTY_STORAGE);
  });

  it("is archived by the alarm when the storage of files failed", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    const put = vi.spyOn(env.FILES, "put").mockRejectedValue(new Error("no storage"));
    await client.delete(`/browsers/${id}`);
    await expect.poll(() => put.mock.calls.length).toBeGreaterThan(0);
    expect(typesOf(await readEvents(client, id))).toContain("session_ended");
    put.mockRestore();
    advanceTime(60_000);
    await runAlarm(id);
    expect(await findArchives(client)).toHaveLength(1);
  });

  it("comes with what the session showed last, which is deleted with it", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    await client.delete(`/browsers/${id}`);
    const { evidence } = (await client.get(`/browsers/${id}?include_deleted=true`)).read(sessionSchema);
    expect(evidence).toEqual({
      tabs: [{ url: expect.any(String), title: expect.any(String) }],
      events_url: `${ORIGIN}/browsers/${id}/telemetry/events?order=desc&limit=200`,
    });
    expect((await client.get(`/browsers/${id}/evidence/screenshot`)).status).toBe(404);
  });

  it("refuses other organizations", async () => {
    const client = await newClient();
    const other = await newClient();
    const { session_id: id } = await client.createSession();
    for (const path of [`/browsers/${id}/telemetry/events`, `/browsers/${id}/telemetry/stream`]) {
      expect((await other.get(path)).status).toBe(404);
    }
    await other.delete(`/browsers/${id}`);
    await client.delete(`/browsers/${id}`);
    expect((await other.get(`/browsers/${id}/telemetry/events`)).status).toBe(404);
    expect(typesOf(await readEvents(client, id))).toEqual(["session_started", "api_call", "session_ended"]);
  });

  it.each([
    ["order=sideways", ["order"]],
    ["order=desc&since=5m", ["since"]],
    ["since=yesterday", ["since"]],
    ["until=tomorrow", ["until"]],
    ["limit=0", ["limit"]],
    ["offset=x", ["offset"]],
    ["category=console,cookies", ["category"]],
  ])("refuses %s", async (query, fields) => {
    const client = await newClient();
    const response = await client.get(`/browsers/some/telemetry/events?${query}`);
    expect(response.invalidFields.map((field) => field.split(".")[0])).toEqual(fields);
  });

  it("is listed in pages and by category", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    await client.get(`/browsers/${id}`);
    const first = await client.get(`/browsers/${id}/telemetry/events?limit=2`);
    expect(first.headers.get("x-has-more")).toBe("true");
    const offset = first.headers.get("x-next-offset");
    const second = await client.get(`/browsers/${id}/telemetry/events?limit=2&offset=${offset}`);
    expect(second.headers.get("x-has-more")).toBe("false");
    expect([first, second].map((page) => page.read(numberedEventSchema.array()).length)).toEqual([2, 1]);
    expect(typesOf(await readEvents(client, id, "category=system&category=page"))).toEqual([
      "session_started",
    ]);
    expect(typesOf(await readEvents(client, id, "category=system,page"))).toEqual(["session_started"]);
  });
});

describe("a stream of events", () => {
  it("sends new events until the session ends", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    const streaming = client.get(`/browsers/${id}/telemetry/stream`);
    // The stream has begun once the object has been asked for it.
    await expect.poll(async () => (await client.get(`/browsers/${id}`)).status).toBe(200);
    await client.delete(`/browsers/${id}`);
    const stream = await streaming;
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const types = typesOf(parseStream(stream.text));
    expect(types).not.toContain("session_started");
    expect(types.at(-1)).toBe("session_ended");
    expect((await client.get(`/browsers/${id}/telemetry/stream`)).status).toBe(404);
  });

  it.each([
    ["replay=all", {}, ["session_started", "api_call"]],
    ["replay=all", { "last-event-id": "1" }, ["api_call"]],
    ["replay=none", {}, []],
  ])("starts as %s and %j ask", async (query, headers, expected) => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    const streaming = client.get(`/browsers/${id}/telemetry/stream?${query}`, { headers });
    await expect.poll(async () => (await client.get(`/browsers/${id}`)).status).toBe(200);
    await client.delete(`/browsers/${id}`);
    const types = typesOf(parseStream((await streaming).text));
    expect(types.slice(0, expected.length)).toEqual(expected);
    expect(types.filter((type) => type === "session_started")).toHaveLength(
      expected.includes("session_started") ? 1 : 0,
    );
  });
});
