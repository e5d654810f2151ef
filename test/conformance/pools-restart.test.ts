import type Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DevToolsClient, refusedUpgrade } from "./devtools-client.ts";
import { Service } from "./service.ts";

/** A pool of two gets a browser every two minutes, one of this size every 1.2 seconds. */
const HASTY_SIZE = 200;
const LAUNCH_TIMEOUT_MS = 60_000;

/** The sweep leaves alone what is younger than two minutes. */
const PAST_GRACE_MS = 180_000;

/** Callers that want one of two browsers at once. */
const CALLERS = 12;
/** How often each looks whether the page is still its own. */
const LOOKS = 10;

let service: Service;
let kernel: Kernel;

beforeAll(async () => {
  service = await Service.start({ settings: { MAX_POOLED_SESSIONS: "1000" } });
  kernel = service.kernel();
});
afterAll(() => service.end());

/** Waits until at least that many browsers of a pool wait to be acquired. */
async function untilAvailable(id: string, count: number): Promise<void> {
  const available = async () => (await kernel.browserPools.retrieve(id)).available_count;
  await expect.poll(available, { timeout: LAUNCH_TIMEOUT_MS, interval: 50 }).toBeGreaterThanOrEqual(count);
}

/** Makes a pool smaller. Which of its browsers stay is its own affair, also whether they are launched already. */
async function shrink(id: string, size: number): Promise<void> {
  await kernel.browserPools.update(id, { size });
  await untilAvailable(id, size);
}

/** A pool with all of its browsers, for which the fill rate allows another one right away. */
async function openFullPool(size: number): Promise<string> {
  const { id } = await kernel.browserPools.create({ size: HASTY_SIZE, fill_rate_per_minute: 25 });
  await untilAvailable(id, size);
  await shrink(id, size);
  return id;
}

/** Waits until that many browsers run, no more and no fewer. */
async function expectBrowsers(count: number): Promise<void> {
  await expect.poll(() => service.browsers().length, { timeout: LAUNCH_TIMEOUT_MS }).toBe(count);
}

test("SIGKILL with an idle browser, a leased one and a waiting caller: the pools are full again", {
  timeout: 180_000,
}, async () => {
  const idle = await openFullPool(1);
  const exhausted = await openFullPool(1);
  const leased = await kernel.browserPools.acquire(exhausted, { name: "lost" });
  const waiting = kernel.browserPools.acquire(exhausted, {}).then(
    () => "served",
    () => "broken off",
  );
  expect(await kernel.browserPools.acquire(exhausted, { acquire_timeout_seconds: 0 })).toBeNull();
  await expectBrowsers(2);
  await service.kill();
  expect(await waiting).toBe("broken off");
  expect(service.processes()).toEqual([]);
  await service.restart();
  await service.runScheduled({ laterMs: PAST_GRACE_MS });

  const { session_id, cdp_ws_url } = leased;
  const findEnded = () => kernel.browsers.retrieve(session_id, { include_deleted: true });
  await expect.poll(findEnded, { timeout: 30_000 }).toMatchObject({ end_reason: "browser_lost" });
  expect(await refusedUpgrade(cdp_ws_url)).toMatchObject({ status: 410 });
  for (const id of [idle, exhausted]) {
    const counts = () => kernel.browserPools.retrieve(id);
    await expect
      .poll(counts, { timeout: LAUNCH_TIMEOUT_MS })
      .toMatchObject({ available_count: 1, acquired_count: 0 });
  }
  // The counts are those of browsers that live, and there are no others.
  await expectBrowsers(2);
  for (const id of [idle, exhausted]) {
    const session = await kernel.browserPools.acquire(id, { name: `again-${id}` });
    expect(session.session_id).not.toBe(session_id);
    using client = await DevToolsClient.connect(session.cdp_ws_url);
    expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
    await kernel.browserPools.delete(id, { force: true });
  }
  await expectBrowsers(0);
});

test("SIGKILL, and an acquire as the first call after it: it gets a browser that lives", {
  timeout: 180_000,
}, async () => {
  const id = await openFullPool(1);
  const { session_id } = await kernel.browserPools.acquire(id, {});
  await kernel.browserPools.release(id, { session_id });
  await service.kill();
  await service.restart();
  const session = await kernel.browserPools.acquire(id, {});
  expect(session.session_id).not.toBe(session_id);
  using client = await DevToolsClient.connect(session.cdp_ws_url);
  expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
  await kernel.browserPools.delete(id, { force: true });
  await expectBrowsers(0);
});

test("SIGKILL as the first browser is launched: it is launched again, and nothing else is left", {
  timeout: 180_000,
}, async () => {
  const { id } = await kernel.browserPools.create({ size: HASTY_SIZE, fill_rate_per_minute: 25 });
  await service.untilBrowserLaunches();
  await service.kill();
  await service.restart();
  await service.runScheduled({ laterMs: PAST_GRACE_MS });
  await untilAvailable(id, 1);
  await shrink(id, 1);
  await expectBrowsers(1);
  await kernel.browserPools.delete(id, { force: true });
  await expectBrowsers(0);
});

test("of many callers at once each has a browser to itself, and all are served", async () => {
  const id = await openFullPool(2);
  const holders = new Map<string, number>();
  const used = new Set<string>();
  const work = async (caller: number) => {
    const session = await kernel.browserPools.acquire(id, { name: `caller-${caller}` });
    const { session_id } = session;
    expect(session.name).toBe(`caller-${caller}`);
    expect(holders.get(session_id), "who else has the browser").toBeUndefined();
    holders.set(session_id, caller);
    used.add(session_id);
    {
      using client = await DevToolsClient.connect(session.cdp_ws_url);
      const page = await client.attach();
      const url = `data:text/html,<title>of ${caller}</title>`;
      await client.send("Page.navigate", { url }, page);
      const title = () => client.evaluate("document.title", page);
      await expect.poll(title, { interval: 5 }).toBe(`of ${caller}`);
      for (let look = 0; look < LOOKS; look += 1) expect(await title()).toBe(`of ${caller}`);
    }
    holders.delete(session_id);
    await kernel.browserPools.release(id, { session_id });
    return caller;
  };
  const callers = Array.from({ length: CALLERS }, (_, caller) => caller);
  expect(await Promise.all(callers.map(work))).toEqual(callers);
  expect(used.size).toBe(2);
  expect(await kernel.browserPools.retrieve(id)).toMatchObject({ available_count: 2, acquired_count: 0 });
  await kernel.browserPools.delete(id);
  await expectBrowsers(0);
});
