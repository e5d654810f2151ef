import { expect, test } from "vitest";
import { DevToolsClient, readUpgradeError } from "./devtools-client.ts";
import { useService } from "./use-service.ts";

/** The fill rate is a percentage of the size: this pool launches a browser every 1.2 seconds. */
const FAST_FILL_SIZE = 200;
const LAUNCH_TIMEOUT_MS = 60_000;

/** The sweep skips sessions younger than two minutes. */
const PAST_GRACE_MS = 180_000;

const CALLERS = 12;
const TITLE_CHECKS = 10;

const service = await useService({ settings: { MAX_POOLED_SESSIONS: "1000" } });
const kernel = service.kernel();

async function waitForAvailable(id: string, count: number): Promise<void> {
  const available = async () => (await kernel.browserPools.retrieve(id)).available_count;
  await expect.poll(available, { timeout: LAUNCH_TIMEOUT_MS, interval: 50 }).toBeGreaterThanOrEqual(count);
}

async function shrink(id: string, size: number): Promise<void> {
  await kernel.browserPools.update(id, { size });
  await waitForAvailable(id, size);
}

/** Creates a full pool that is allowed to launch another browser immediately. */
async function createFullPool(size: number): Promise<string> {
  const { id } = await kernel.browserPools.create({ size: FAST_FILL_SIZE, fill_rate_per_minute: 25 });
  await waitForAvailable(id, size);
  await shrink(id, size);
  return id;
}

async function expectBrowsers(count: number): Promise<void> {
  await expect.poll(() => service.browsers().length, { timeout: LAUNCH_TIMEOUT_MS }).toBe(count);
}

test("pools refill after SIGKILL with an idle browser, a leased one and a waiting caller", {
  timeout: 180_000,
}, async () => {
  const idle = await createFullPool(1);
  const exhausted = await createFullPool(1);
  const leased = await kernel.browserPools.acquire(exhausted, { name: "lost" });
  const waiting = kernel.browserPools.acquire(exhausted, {}).then(
    () => "served",
    () => "aborted",
  );
  expect(await kernel.browserPools.acquire(exhausted, { acquire_timeout_seconds: 0 })).toBeNull();
  await expectBrowsers(2);
  await service.kill();
  expect(await waiting).toBe("aborted");
  expect(service.processes()).toEqual([]);
  await service.restart();
  await service.runScheduled({ laterMs: PAST_GRACE_MS });

  const { session_id, cdp_ws_url } = leased;
  const findEnded = () => kernel.browsers.retrieve(session_id, { include_deleted: true });
  await expect.poll(findEnded, { timeout: 30_000 }).toMatchObject({ end_reason: "browser_lost" });
  expect(await readUpgradeError(cdp_ws_url)).toMatchObject({ status: 410 });
  for (const id of [idle, exhausted]) {
    const counts = () => kernel.browserPools.retrieve(id);
    await expect
      .poll(counts, { timeout: LAUNCH_TIMEOUT_MS })
      .toMatchObject({ available_count: 1, acquired_count: 0 });
  }
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

test("acquire as the first request after SIGKILL returns a living browser", {
  timeout: 180_000,
}, async () => {
  const id = await createFullPool(1);
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

test("SIGKILL during the first launch leaves no extra browser", {
  timeout: 180_000,
}, async () => {
  const { id } = await kernel.browserPools.create({ size: FAST_FILL_SIZE, fill_rate_per_minute: 25 });
  await service.waitForBrowserLaunch();
  await service.kill();
  await service.restart();
  await service.runScheduled({ laterMs: PAST_GRACE_MS });
  await waitForAvailable(id, 1);
  await shrink(id, 1);
  await expectBrowsers(1);
  await kernel.browserPools.delete(id, { force: true });
  await expectBrowsers(0);
});

test("concurrent callers each get a browser of their own", async () => {
  const id = await createFullPool(2);
  const holders = new Map<string, number>();
  const used = new Set<string>();
  const work = async (caller: number) => {
    const session = await kernel.browserPools.acquire(id, { name: `caller-${caller}` });
    const { session_id } = session;
    expect(session.name).toBe(`caller-${caller}`);
    expect(holders.get(session_id), "already leased to this caller").toBeUndefined();
    holders.set(session_id, caller);
    used.add(session_id);
    {
      using client = await DevToolsClient.connect(session.cdp_ws_url);
      const page = await client.attach();
      const url = `data:text/html,<title>of ${caller}</title>`;
      await client.send("Page.navigate", { url }, page);
      const title = () => client.evaluate("document.title", page);
      await expect.poll(title, { interval: 5 }).toBe(`of ${caller}`);
      for (let check = 0; check < TITLE_CHECKS; check += 1) expect(await title()).toBe(`of ${caller}`);
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
