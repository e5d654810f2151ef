import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { z } from "zod";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import { writeArchive } from "../../../src/features/telemetry/archive.ts";
import { EventStore } from "../../../src/features/telemetry/event-store.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import type { ReplayRow } from "../../../src/lib/database/schema/replays.ts";
import { Client, ORIGIN, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { acquire, createFullPool, endPoolsAfterAll, release } from "../../features/browser-pools/pools.ts";
import { insertReplayRow } from "../../features/recordings/recordings.ts";
import { advanceTime, runInSession } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";

useFakeBrowsers();
endPoolsAfterAll();

const documentSchema = z.object({
  recording: z.object({ sessionName: z.string().nullable(), endReason: z.string().nullable() }),
  items: z.array(z.object({ kind: z.string(), text: z.string() })),
  isCut: z.boolean(),
});

const client = useNewClient();

/** Inserts a recording that spans what happens during `work`. */
async function record(sessionId: string, work: () => Promise<unknown>): Promise<ReplayRow> {
  advanceTime(1000);
  const startedAt = Date.now();
  await work();
  advanceTime(1000);
  return insertReplayRow({ ...client, sessionId, startedAt, finishedAt: Date.now() }, ["head"]);
}

/** Changes something of a session, which is an event. */
async function change(sessionId: string): Promise<void> {
  const answer = await client.patch(`/browsers/${sessionId}`, { tags: {} });
  expect(answer.status, answer.text).toBe(200);
}

async function linkTo({ sessionId, id }: ReplayRow, name: string): Promise<string> {
  const recordings = (await client.get(`/browsers/${sessionId}/replays`)).read(z.array(recordingSchema));
  const address = recordings.find(({ replay_id }) => replay_id === id)?.replay_view_url ?? "";
  return address.replace(ORIGIN, "").replace("?", `/${name}?`);
}

async function readDocument(row: ReplayRow) {
  return (await new Client().get(await linkTo(row, "events"))).read(documentSchema);
}

async function readKinds(row: ReplayRow): Promise<string[]> {
  return (await readDocument(row)).items.map(({ kind, text }) => `${kind} ${text}`.trim());
}

it("shows the events of the recording's time only, also after the session's end", async () => {
  const { session_id: id } = await client.createSession();
  await change(id);
  const row = await record(id, () => change(id));
  advanceTime(1000);
  await change(id);
  const shown = [expect.stringMatching(/^[A-Z][a-z ]+ 200$/)];
  expect(await readKinds(row)).toEqual(shown);
  await client.delete(`/browsers/${id}`);
  expect(await readKinds(row)).toEqual(shown);
});

it.each([
  ["the connection to the browser was lost", ["Disconnected", "Browser lost", "Session ended"]],
  [null, []],
])("shows what became of the session if the note is %s", async (note, shown) => {
  const sessionId = newIdentifier();
  const row = await insertReplayRow({ ...client, sessionId, note });
  const end = row.finishedAt ?? 0;
  await runInSession(sessionId, async (storage) => {
    const store = new EventStore(storage, () => undefined);
    const append = (category: "monitor" | "system" | "control", type: string, ms: number) =>
      store.append({ source: { kind: "kernel_api" }, ts: (end + ms) * 1000, category, type });
    append("monitor", "monitor_disconnected", 0);
    append("control", "api_call", 1000);
    append("system", "service_crashed", 4000);
    append("system", "session_ended", 4001);
    append("system", "session_ended", 90_000);
    await writeArchive(env.FILES, { organizationId: client.organizationId, sessionId }, store);
  });
  const { items } = await readDocument(row);
  expect(items.map(({ kind }) => kind)).toEqual(shown);
});

it("shows no events while it is being recorded, because a crashed recording may continue into another lease", async () => {
  const { session_id: id } = await client.createSession();
  const startedAt = Date.now();
  await change(id);
  expect(
    await readKinds(await insertReplayRow({ ...client, sessionId: id, startedAt, finishedAt: null })),
  ).toEqual([]);
});

it("shows the events of its lease, in and after later leases and after the session's end", async () => {
  const { id: poolId } = await createFullPool(client, { size: 1 });
  const { session_id: id } = await acquire(client, poolId);
  const row = await record(id, () => change(id));
  const shown = [expect.stringMatching(/^[A-Z][a-z ]+ 200$/)];
  await release(client, poolId, id, { reuse: true });
  expect(await readKinds(row)).toEqual(shown);
  const about = async () => (await readDocument(row)).recording;
  await acquire(client, poolId, { name: "later-lease" });
  await change(id);
  expect(await readKinds(row)).toEqual(shown);
  expect(await about()).toEqual({ sessionName: null, endReason: null });
  await release(client, poolId, id, { reuse: false });
  expect(await readKinds(row)).toEqual(shown);
  expect(await about()).toEqual({ sessionName: null, endReason: null });
});

it("says when later events are left out, and when some were dropped", async () => {
  const sessionId = newIdentifier();
  const row = await insertReplayRow({ ...client, sessionId });
  const event = { source: { kind: "kernel_api" as const }, ts: row.startedAt * 1000 };
  await runInSession(sessionId, async (storage) => {
    const store = new EventStore(storage, () => undefined);
    store.append({ ...event, category: "monitor", type: "monitor_events_dropped" });
    for (let count = 0; count < 5000; count += 1) {
      store.append({ ...event, category: "system", type: `event_${count}` });
    }
    await writeArchive(env.FILES, { organizationId: client.organizationId, sessionId }, store);
  });
  const { items, isCut } = await readDocument(row);
  expect([items[0]?.kind, items.at(-1)?.kind, isCut]).toEqual(["Events are missing", "Event 4998", true]);
});

it("stays revoked when the row of its pooled session is removed", async () => {
  const { id: poolId } = await createFullPool(client, { size: 1 });
  const { session_id: id } = await acquire(client, poolId);
  const row = await record(id, () => change(id));
  const revoked = await linkTo(row, "video");
  expect((await client.post(`/browsers/${id}/revoke_urls`)).status).toBe(200);
  await release(client, poolId, id, { reuse: true });
  const fresh = await linkTo(row, "video");
  expect((await new Client().get(revoked)).status).toBe(401);
  expect((await new Client().get(fresh)).text).toBe("head");
  expect((await client.delete(`/browser_pools/${poolId}`, { force: true })).status).toBe(204);
  expect(await readSessionRow(id)).toBeUndefined();
  for (const valid of [fresh, await linkTo(row, "video")]) {
    expect((await new Client().get(revoked)).status).toBe(401);
    expect((await new Client().get(valid)).text).toBe("head");
  }
});
