import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect } from "vitest";
import type { PoolBrowser } from "../../../src/features/browser-pools/pool-browsers.ts";
import { poolObject } from "../../../src/features/browser-pools/stub.ts";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { type Client, newClient, upgrade } from "../../api.ts";
import type { FakeBrowserBinding } from "../../fakes/browser-binding.ts";
import { advanceTime, readRecord, runAlarm, runInSession } from "../../objects.ts";
import { createPool, readPool, readPoolBrowsers, restartPool, runPoolDeadline } from "./pools.ts";

const MAX_SIZE = 4;
const TIMEOUT_SECONDS = 60;

/** The interval of one browser at the highest rate, 25 % per minute. No larger pool takes longer to fill. */
const MAX_INTERVAL_MS = 4 * 60_000;

/** How soon a pool must settle after a command. */
const SETTLE_POLL = { interval: 5, timeout: 10_000 };

interface PoolModel {
  size: number;
  /** CDP URLs of the leased sessions. */
  leases: Map<string, string>;
}

interface RealPool {
  client: Client;
  id: string;
  browsers: FakeBrowserBinding;
  /** The number of browsers launched before the pool. */
  launchedBefore: number;
  /** CDP URLs of leases that have ended. */
  expiredURLs: string[];
}

export type PoolCommand = fc.AsyncCommand<PoolModel, RealPool>;

/** Creates a full pool with some browsers leased. The clock is frozen; only commands advance it. */
export async function newPool(browsers: FakeBrowserBinding, size: number, leased: number) {
  advanceTime(0);
  const launchedBefore = browsers.launched.length;
  const client = await newClient();
  const id = await createFullPool(client, size);
  const model: PoolModel = { size, leases: new Map() };
  const real: RealPool = { client, id, browsers, launchedBefore, expiredURLs: [] };
  while (model.leases.size < leased) beginLease(model, (await acquire(real)).read(sessionSchema));
  return { model, real };
}

async function createFullPool(client: Client, size: number): Promise<string> {
  const body = { size, fill_rate_per_minute: 25, timeout_seconds: TIMEOUT_SECONDS };
  const { id } = await createPool(client, body);
  await settledBrowsers(id);
  await fillUp(id);
  expect(await settledBrowsers(id)).toHaveLength(size);
  return id;
}

/** Advances the clock by the time in which any pool can fill up. */
async function fillUp(poolId: string): Promise<void> {
  advanceTime(MAX_INTERVAL_MS);
  await runPoolDeadline(poolId, "fill");
}

/** Deletes a pool and expects nothing to remain of it. */
export async function deletePool({ leases }: PoolModel, real: RealPool): Promise<void> {
  const response = await real.client.call("DELETE", `/browser_pools/${real.id}`, { body: { force: true } });
  expect(response.status, response.text).toBe(204);
  const keys = () =>
    runInDurableObject(poolObject(env, real.id), async (_, { storage }) => [
      ...(await storage.list()).keys(),
    ]);
  await expect.poll(keys, SETTLE_POLL).toEqual([]);
  await expect.poll(() => livingBrowsers(real), SETTLE_POLL).toEqual([]);
  expect((await real.client.get(`/browser_pools/${real.id}`)).status).toBe(404);
  for (const sessionId of [...leases.keys()]) await endLease({ leases }, real, sessionId);
  await expectExpired(real.expiredURLs);
}

function livingBrowsers({ browsers, launchedBefore }: RealPool): string[] {
  return browsers.launched.slice(launchedBefore).filter((id) => browsers.living.has(id));
}

/** Waits until no browser is in transition. Returns them in the order in which they entered their state. */
async function settledBrowsers(poolId: string): Promise<PoolBrowser[]> {
  let poolBrowsers: PoolBrowser[] = [];
  const inTransition = async () => {
    poolBrowsers = (await readPoolBrowsers(poolId)).sort((first, second) => first.turn - second.turn);
    return poolBrowsers.filter(({ state }) => state !== "idle" && state !== "leased");
  };
  await expect.poll(inTransition, SETTLE_POLL).toEqual([]);
  return poolBrowsers;
}

function idsOf(poolBrowsers: PoolBrowser[], state?: "idle" | "leased"): string[] {
  return poolBrowsers
    .filter((browser) => state === undefined || browser.state === state)
    .map(({ sessionId }) => sessionId);
}

async function idleIds(real: RealPool): Promise<string[]> {
  return idsOf(await settledBrowsers(real.id), "idle");
}

async function checkInvariants({ size, leases }: PoolModel, real: RealPool): Promise<void> {
  const poolBrowsers = await settledBrowsers(real.id);
  expect(idsOf(poolBrowsers, "leased").sort()).toEqual([...leases.keys()].sort());
  expect(poolBrowsers.length).toBeLessThanOrEqual(Math.max(size, leases.size));

  const pool = await readPool(real.client, real.id);
  expect(pool.browser_pool_config.size).toBe(size);
  expect(pool.available_count).toBe(idsOf(poolBrowsers, "idle").length);
  expect(pool.acquired_count).toBe(leases.size);

  // Each entry has its own living browser, and the pool has no others.
  const records = await Promise.all(idsOf(poolBrowsers).map(readRecord));
  expect(records.map((record) => record?.browserId).sort()).toEqual(livingBrowsers(real).sort());

  const listed = await real.client.listSessions();
  expect(listed.ids.sort()).toEqual([...leases.keys()].sort());
  for (const [sessionId, url] of leases) {
    const session = (await real.client.get(`/browsers/${sessionId}`)).read(sessionSchema);
    expect(session.pool?.id).toBe(real.id);
    const { pathname, search } = new URL(url);
    expect((await real.client.get(`${pathname}/json/version${search}`)).status).toBe(200);
  }
}

async function expectExpired(urls: string[]): Promise<void> {
  for (const url of urls) expect((await upgrade(url)).status).toBe(410);
}

function acquire({ client, id }: RealPool, waitSeconds = 0) {
  return client.post(`/browser_pools/${id}/acquire`, { acquire_timeout_seconds: waitSeconds });
}

/** A session is in its pool until its browser is closed. */
async function waitForEnd({ id }: RealPool, sessionId: string): Promise<void> {
  await expect.poll(async () => idsOf(await settledBrowsers(id)), SETTLE_POLL).not.toContain(sessionId);
}

function release({ client, id }: RealPool, sessionId: string, reuse = true) {
  return client.post(`/browser_pools/${id}/release`, { session_id: sessionId, reuse });
}

function beginLease({ leases }: PoolModel, { session_id, cdp_ws_url }: SessionBody): void {
  expect([...leases.keys()], "leased twice").not.toContain(session_id);
  leases.set(session_id, cdp_ws_url);
}

async function endLease(
  { leases }: Pick<PoolModel, "leases">,
  real: RealPool,
  sessionId: string,
): Promise<void> {
  const url = leases.get(sessionId);
  if (url === undefined) return;
  leases.delete(sessionId);
  real.expiredURLs.push(url);
  await expectExpired([url]);
}

async function crash(real: RealPool, sessionId: string): Promise<void> {
  const { browserId = "" } = (await readRecord(sessionId)) ?? {};
  await runInSession(sessionId, () => real.browsers.kill(browserId));
}

async function waitForRemoval({ id }: RealPool, sessionId: string): Promise<void> {
  const currentBrowsers = async () => {
    // A browser is lost only after the platform has not known it for a while.
    advanceTime(15_000);
    await runAlarm(sessionId);
    return idsOf(await readPoolBrowsers(id));
  };
  await expect.poll(currentBrowsers, SETTLE_POLL).not.toContain(sessionId);
}

function command(
  name: string,
  run: (model: PoolModel, real: RealPool) => Promise<void>,
  check: (model: PoolModel) => boolean = () => true,
): PoolCommand {
  return {
    check: (model) => check(model),
    run: async (model, real) => {
      await run(model, real);
      await checkInvariants(model, real);
    },
    toString: () => name,
  };
}

const isAnyLeased = ({ leases }: PoolModel) => leases.size > 0;

function pick(ids: string[], which: number): string {
  return ids[which % ids.length] ?? "";
}

const acquireOne = command("acquire", async (model, real) => {
  const [longestIdle] = await idleIds(real);
  const response = await acquire(real);
  expect(response.status, response.text).toBe(longestIdle === undefined ? 204 : 200);
  if (longestIdle === undefined) return;
  const session = response.read(sessionSchema);
  expect(session.session_id).toBe(longestIdle);
  beginLease(model, session);
});

const acquireConcurrently = (clients: number) =>
  command(`acquire by ${clients} concurrently`, async (model, real) => {
    const idle = await idleIds(real);
    const responses = await Promise.all(Array.from({ length: clients }, () => acquire(real)));
    const served = responses.filter(({ status }) => status !== 204);
    expect(served).toHaveLength(Math.min(clients, idle.length));
    for (const response of served) beginLease(model, response.read(sessionSchema));
  });

const releaseOne = (which: number, reuse: boolean) =>
  command(
    `release ${which} ${reuse ? "with" : "without"} reuse`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      const isKept = reuse && (await settledBrowsers(real.id)).length <= model.size;
      const response = await release(real, sessionId, reuse);
      expect(response.status, response.text).toBe(204);
      await endLease(model, real, sessionId);
      expect((await real.client.get(`/browsers/${sessionId}`)).status).toBe(404);
      expect((await idleIds(real)).includes(sessionId)).toBe(isKept);
    },
    isAnyLeased,
  );

const handOver = (which: number) =>
  command(
    `wait while ${which} is released`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      const [acquired, released] = await Promise.all([acquire(real, 20), release(real, sessionId)]);
      expect(released.status, released.text).toBe(204);
      const session = acquired.read(sessionSchema);
      await endLease(model, real, sessionId);
      beginLease(model, session);
    },
    // Otherwise the released browser is not kept.
    ({ leases, size }) => leases.size > 0 && leases.size <= size,
  );

const endSession = (which: number) =>
  command(
    `delete session ${which}`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      expect((await real.client.delete(`/browsers/${sessionId}`)).status).toBe(204);
      await endLease(model, real, sessionId);
      await waitForEnd(real, sessionId);
    },
    isAnyLeased,
  );

const useIdle = command("use idle sessions", async (_, real) => {
  const poolBrowsers = await settledBrowsers(real.id);
  for (const sessionId of idsOf(poolBrowsers, "idle")) {
    expect((await real.client.get(`/browsers/${sessionId}`)).status).toBe(404);
    expect((await real.client.delete(`/browsers/${sessionId}`)).status).toBe(404);
    expect((await release(real, sessionId)).status).toBe(404);
  }
  expect(await settledBrowsers(real.id)).toEqual(poolBrowsers);
});

const crashOne = (which: number) =>
  command(`crash browser ${which}`, async (model, real) => {
    const poolBrowsers = await settledBrowsers(real.id);
    if (poolBrowsers.length === 0) return;
    const sessionId = pick(idsOf(poolBrowsers), which);
    await crash(real, sessionId);
    await waitForRemoval(real, sessionId);
    await endLease(model, real, sessionId);
  });

const acquireWhileCrashing = command("acquire while browsers crash", async (model, real) => {
  const [longestIdle] = await idleIds(real);
  if (longestIdle === undefined) return;
  const [response] = await Promise.all([acquire(real), crash(real, longestIdle)]);
  expect([200, 204]).toContain(response.status);
  if (response.status === 200) beginLease(model, response.read(sessionSchema));
  await waitForRemoval(real, longestIdle);
  await endLease(model, real, longestIdle);
});

const timeOut = (which: number) =>
  command(
    `time out session ${which}`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      advanceTime(TIMEOUT_SECONDS * 1000);
      expect(await runAlarm(sessionId)).toBe(true);
      await endLease(model, real, sessionId);
      await waitForEnd(real, sessionId);
    },
    isAnyLeased,
  );

const resize = (size: number) =>
  command(`resize to ${size}`, async (model, real) => {
    const response = await real.client.patch(`/browser_pools/${real.id}`, { size });
    expect(response.status, response.text).toBe(200);
    model.size = size;
  });

const discardIdle = command("discard all idle", async ({ size, leases }, real) => {
  const discarded = await idleIds(real);
  const response = await real.client.patch(`/browser_pools/${real.id}`, { size, discard_all_idle: true });
  expect(response.status, response.text).toBe(200);
  const idle = await idleIds(real);
  for (const sessionId of discarded) expect(idle).not.toContain(sessionId);
  // Replacements are launched immediately at any fill rate.
  expect(idle.length).toBeGreaterThanOrEqual(Math.min(discarded.length, size - leases.size));
});

const flush = command("flush", async (_, real) => {
  const flushed = await idleIds(real);
  const response = await real.client.post(`/browser_pools/${real.id}/flush`);
  expect(response.status, response.text).toBe(204);
  const idle = await idleIds(real);
  for (const sessionId of flushed) expect(idle).not.toContain(sessionId);
});

const restart = command("restart", async (_, real) => {
  const poolBrowsers = await settledBrowsers(real.id);
  await restartPool(real.id);
  expect(await settledBrowsers(real.id)).toEqual(poolBrowsers);
});

const restartWhileAcquiring = command("restart during an acquire", async (model, real) => {
  const [response] = await Promise.all([acquire(real), restartPool(real.id)]);
  if (response.status === 200) beginLease(model, response.read(sessionSchema));
  // The response may be lost after the browser was leased.
  const lost = idsOf(await settledBrowsers(real.id), "leased").filter((id) => !model.leases.has(id));
  expect(lost.length).toBeLessThanOrEqual(response.status < 500 ? 0 : 1);
  for (const sessionId of lost) expect((await release(real, sessionId)).status).toBe(204);
});

const fill = command("fill", async ({ size }, real) => {
  const { length } = await settledBrowsers(real.id);
  await fillUp(real.id);
  expect((await settledBrowsers(real.id)).length).toBeGreaterThanOrEqual(Math.min(size, length + 1));
});

const settleAgain = command("settle", async (_, real) => {
  const poolBrowsers = await settledBrowsers(real.id);
  await runPoolDeadline(real.id, "settle");
  expect(await settledBrowsers(real.id)).toEqual(poolBrowsers);
});

const deleteAndRecreate = (force: boolean, size: number) =>
  command(`delete ${force ? "with" : "without"} force`, async (model, real) => {
    if (model.leases.size > 0 && !force) {
      const poolBrowsers = await settledBrowsers(real.id);
      expect((await real.client.delete(`/browser_pools/${real.id}`)).status).toBe(409);
      expect(await settledBrowsers(real.id)).toEqual(poolBrowsers);
      return;
    }
    await deletePool(model, real);
    real.id = await createFullPool(real.client, size);
    model.size = size;
  });

const sizes = fc.integer({ min: 1, max: MAX_SIZE });

export const initialStates = sizes.chain((size) =>
  fc.record({ size: fc.constant(size), leased: fc.oneof(fc.nat(size), fc.constant(size)) }),
);

const which = fc.nat(MAX_SIZE);

const releases = fc.tuple(which, fc.boolean()).map(([number, reuse]) => releaseOne(number, reuse));
const deletions = fc.tuple(fc.boolean(), sizes).map(([force, size]) => deleteAndRecreate(force, size));

const anyCommand = fc.oneof(
  { weight: 6, arbitrary: fc.constant(acquireOne) },
  { weight: 2, arbitrary: fc.integer({ min: 2, max: 5 }).map(acquireConcurrently) },
  { weight: 1, arbitrary: fc.constant(acquireWhileCrashing) },
  { weight: 6, arbitrary: releases },
  { weight: 3, arbitrary: which.map(handOver) },
  { weight: 2, arbitrary: which.map(endSession) },
  { weight: 2, arbitrary: which.map(timeOut) },
  { weight: 2, arbitrary: which.map(crashOne) },
  { weight: 1, arbitrary: fc.constant(useIdle) },
  { weight: 3, arbitrary: sizes.map(resize) },
  // Often fewer than are leased.
  { weight: 2, arbitrary: fc.constant(resize(1)) },
  { weight: 1, arbitrary: fc.constantFrom(discardIdle, flush) },
  { weight: 2, arbitrary: fc.constantFrom(restart, restartWhileAcquiring) },
  { weight: 2, arbitrary: fc.constant(fill) },
  { weight: 1, arbitrary: fc.constant(settleAgain) },
  { weight: 1, arbitrary: deletions },
);

export const poolCommands = fc.commands<PoolModel, RealPool, false>([anyCommand], {
  maxCommands: 25,
  size: "max",
});
