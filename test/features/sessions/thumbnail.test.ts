import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handoffSchema } from "../../../src/features/sessions/handoff-schema.ts";
import { numberedEventSchema } from "../../../src/features/telemetry/index.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, isInUse, runAlarm, runInSession } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";

const browsers = useFakeBrowsers();

let client: Client;
let id: string;
let browserId: string;
let sentBefore: number;
beforeEach(async () => {
  client = await newClient();
  id = (await client.createSession({ name: "shop", timeout_seconds: 30 })).session_id;
  browserId = browsers.launched.at(-1) ?? "";
  sentBefore = browsers.commands.length;
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await client.delete(`/browsers/${id}`);
});

const ask = (key = id) => client.get(`/browsers/${key}/thumbnail`);
const captures = () =>
  browsers.commands.slice(sentBefore).filter(({ method }) => method === "Page.startScreencast");

/** What the browser shows once it was asked for the given number of captures. */
async function show(picture: string, count: number): Promise<void> {
  await expect.poll(() => captures().length).toBe(count);
  await runInSession(id, () => browsers.browser(browserId).castFrame(picture, 1920, 1080));
}

/** Makes a page that does not answer late at once. */
function hurry(): void {
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (work: () => void, ms?: number) => setTimeout(work, ms === 2000 ? 0 : ms));
}

describe("a thumbnail", () => {
  it("is captured once for all who ask within 3 seconds", async () => {
    const asked = [ask(), ask("shop")];
    await show("AAAA", 1);
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("image/jpeg");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect([...answer.bytes]).toEqual([0, 0, 0]);
    }
    expect(captures()).toMatchObject([{ params: { format: "jpeg", maxWidth: 320, maxHeight: 320 } }]);
    advanceTime(2000);
    expect((await ask()).status).toBe(200);
    expect(captures()).toHaveLength(1);
    advanceTime(1001);
    const later = ask();
    await show("BBBB", 2);
    expect([...(await later).bytes]).toEqual([4, 16, 65]);
  });

  it("is absent in time when the page shows nothing, and asked for again later", async () => {
    hurry();
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect((await ask()).status).toBe(204);
    expect(captures()).toHaveLength(1);
    vi.unstubAllGlobals();
    advanceTime(3001);
    const later = ask();
    await show("AAAA", 2);
    expect((await later).status).toBe(200);
  });

  it("is no activity, and opens no connection to the browser", async () => {
    advanceTime(29_000);
    const asked = ask();
    await show("AAAA", 1);
    expect((await asked).status).toBe(200);
    expect(await isInUse(id)).toBe(false);
    const events = await client.get(`/browsers/${id}/telemetry/events?limit=1000`);
    const calls = events.read(numberedEventSchema.array()).filter(({ event }) => event.type === "api_call");
    expect(JSON.stringify(calls)).not.toContain("Thumbnail");
    advanceTime(2000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
    expect((await ask()).status).toBe(404);
  });

  it("is absent while a handoff keeps agents from seeing the session", async () => {
    const body = { instructions: "Log in", pause_agent: true };
    const handoff = handoffSchema.parse((await client.post(`/browsers/${id}/handoffs`, body)).json);
    const asked = ask();
    await show("AAAA", 1);
    expect((await asked).status).toBe(204);
    await client.delete(`/browsers/${id}/handoffs/${handoff.handoff_id}`);
    expect((await ask()).status).toBe(200);
  });

  it("is not for other organizations", async () => {
    const stranger = await newClient();
    expect((await stranger.get(`/browsers/${id}/thumbnail`)).status).toBe(404);
    expect((await stranger.get("/browsers/shop/thumbnail")).status).toBe(404);
    expect(captures()).toEqual([]);
  });
});
