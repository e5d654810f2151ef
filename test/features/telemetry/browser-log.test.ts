import { describe, expect, it } from "vitest";
import { numberedEventSchema } from "../../../src/features/telemetry/schema.ts";
import { newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { LogStream } from "../../log-stream.ts";

const BROWSER = { source: "supervisor", supervisor_process: "chromium" };

async function newSession(body: object) {
  const client = await newClient();
  const { session_id: id, cdp_ws_url } = await client.createSession({ timeout_seconds: 600, ...body });
  const devTools = await DevTools.connect(cdp_ws_url);
  await devTools.openPage();
  const readTypes = async () => {
    const events = await client.get(`/browsers/${id}/telemetry/events?limit=1000`);
    return events.read(numberedEventSchema.array()).map(({ event }) => event.type);
  };
  return { client, id, devTools, readTypes };
}

describe("the log of a real Chromium", () => {
  it("has all console messages while it is read, and those that are kept without follow", async () => {
    const { client, id, devTools, readTypes } = await newSession({});
    await devTools.evaluate(`console.log("before"); 0`);
    const log = await LogStream.open(client, id, { source: "supervisor" });
    await devTools.evaluate(`console.log("said", 1, { a: 2 }); console.error("wrong"); 0`);
    expect(await log.take(2)).toEqual(["[log] said 1 {a: 2}", "[error] wrong"]);

    await devTools.evaluate("for (let i = 0; i < 500; i += 1) console.log(i); 0");
    const flood: string[] = [];
    while (!flood.at(-1)?.includes("dropped")) flood.push((await log.next()) ?? "dropped");
    const dropped = 501 - flood.length;
    expect(flood.at(0)).toBe("[log] 0");
    expect(dropped).toBeGreaterThanOrEqual(300);
    expect(flood.at(-1)).toBe(`[${dropped} console messages were dropped]`);

    expect(await readTypes()).not.toContain("console_log");
    const kept = await LogStream.open(client, id, { ...BROWSER, follow: "false" });
    expect(await kept.rest()).toEqual(["[error] wrong", `[${dropped} console messages were dropped]`]);
    await client.delete(`/browsers/${id}`);
    expect(await log.rest()).toEqual([]);
  });

  it("has those of new tabs and crashes, although nothing is recorded", async () => {
    const { client, id, devTools, readTypes } = await newSession({ telemetry: { enabled: false } });
    const log = await LogStream.open(client, id, BROWSER);
    await devTools.openPage();
    await devTools.evaluate(`console.info("a new tab"); 0`);
    expect(await log.next()).toBe("[info] a new tab");
    void devTools.crash();
    expect(await log.next()).toMatch(/^\[crash\] The page crashed: /);
    expect(await readTypes()).toEqual([]);
    await client.delete(`/browsers/${id}`);
  });

  it("has those of a stealth session", async () => {
    const { client, id, devTools } = await newSession({ stealth: true });
    const log = await LogStream.open(client, id, BROWSER);
    await devTools.evaluate(`console.log("read"); 0`);
    expect(await log.next()).toBe("[log] read");
    await client.delete(`/browsers/${id}`);
  });
});
