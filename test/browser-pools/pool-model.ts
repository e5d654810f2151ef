import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect } from "vitest";
import type { Member } from "../../src/browser-pools/pool-members.ts";
import { poolObject } from "../../src/browser-pools/stub.ts";
import { type SessionBody, sessionSchema } from "../../src/sessions/api/schema.ts";
import { type Client, newClient, upgrade } from "../api.ts";
import type { FakeBrowserBinding } from "../fakes/browser-binding.ts";
import { inside, passTime, readRecord, runAlarm } from "../objects.ts";
import { createPool, readMembers, readPool, restartPool, runPoolDeadline } from "./pools.ts";

const MAX_SIZE = 4;
const TIMEOUT_SECONDS = 60;

/** The time between two browsers of the smallest pool at the highest rate, 25 % a minute; it fills any other one. */
const MAX_INTERVAL_MS = 4 * 60_000;

/** How soon a pool is to be at rest after anything. */
const AT_REST = { interval: 5, timeout: 10_000 };

/** What callers know of a pool. */
interface PoolModel {
  size: number;
  /** Of each session that somebody has, its DevTools address. */
  leases: Map<string, string>;
}

/** A pool, and the browsers behind it. */
interface RealPool {
  client: Client;
  id: string;
  browsers: FakeBrowserBinding;
  /** How many browsers there were before. */
  launchedBefore: number;
  /** DevTools addresses of leases that are over. */
  deadURLs: string[];
}

export type PoolCommand = fc.AsyncCommand<PoolModel, RealPool>;

/**
 * A new pool of a new organization. The clock stands still from now on but for what commands pass.
 *
 * @param leased how many of its browsers somebody has.
 */
export async function newPool(browsers: FakeBrowserBinding, size: number, leased: number) {
  passTime(0);
  const launchedBefore = browsers.launched.length;
  const client = await newClient();
  const id = await createFullPool(client, size);
  const model: PoolModel = { size, leases: new Map() };
  const real: RealPool = { client, id, browsers, launchedBefore, deadURLs: [] };
  while (model.leases.size < leased) beginLease(model, (await acquire(real)).read(sessionSchema));
  return { model, real };
}

async function createFullPool(client: Client, size: number): Promise<string> {
  const body = { size, fill_rate_per_minute: 25, timeout_seconds: TIMEOUT_SECONDS };
  const { id } = await createPool(client, body);
  await restingMembers(id);
  await fillUp(id);
  expect(await restingMembers(id)).toHaveLength(size);
  return id;
}

/** As long goes by as a whole pool takes to be filled. */
async function fillUp(poolId: string): Promise<void> {
  passTime(MAX_INTERVAL_MS);
  await runPoolDeadline(poolId, "fill");
}

/** Ends a pool, and sees that nothing is left of it. */
export async function endPool({ leases }: PoolModel, real: RealPool): Promise<void> {
  const answer = await real.client.call("DELETE", `/browser_pools/${real.id}`, { body: { force: true } });
  expect(answer.status, answer.text).toBe(204);
  const keys = () =>
    runInDurableObject(poolObject(env, real.id), async (_, { storage }) => [
      ...(await storage.list()).keys(),
    ]);
  await expect.poll(keys, AT_REST).toEqual([]);
  expect(living(real)).toEqual([]);
  expect((await real.client.get(`/browser_pools/${real.id}`)).status).toBe(404);
  for (const sessionId of [...leases.keys()]) await loseLease({ leases }, real, sessionId);
  await requireDead(real.deadURLs);
}

function living({ browsers, launchedBefore }: RealPool): string[] {
  return browsers.launched.slice(launchedBefore).filter((id) => browsers.living.has(id));
}

/** The members, the one that came to its state first first, once nothing is under way with any of them. */
async function restingMembers(poolId: string): Promise<Member[]> {
  let members: Member[] = [];
  const onTheWay = async () => {
    members = (await readMembers(poolId)).sort((first, second) => first.turn - second.turn);
    return members.filter(({ state }) => state !== "idle" && state !== "leased");
  };
  await expect.poll(onTheWay, AT_REST).toEqual([]);
  return members;
}

function idsOf(members: Member[], state?: "idle" | "leased"): string[] {
  return members
    .filter((member) => state === undefined || member.state === state)
    .map(({ sessionId }) => sessionId);
}

async function idleIds(real: RealPool): Promise<string[]> {
  return idsOf(await restingMembers(real.id), "idle");
}

/** What is always true of a pool at rest. */
async function checkInvariants({ size, leases }: PoolModel, real: RealPool): Promise<void> {
  const members = await restingMembers(real.id);
  expect(idsOf(members, "leased").sort()).toEqual([...leases.keys()].sort());
  expect(members.length).toBeLessThanOrEqual(Math.max(size, leases.size));

  const pool = await readPool(real.client, real.id);
  expect(pool.browser_pool_config.size).toBe(size);
  expect(pool.available_count).toBe(idsOf(members, "idle").length);
  expect(pool.acquired_count).toBe(leases.size);

  // Each has a living browser of its own, and no other browser of the pool lives.
  const records = await Promise.all(idsOf(members).map(readRecord));
  expect(records.map((record) => record?.browserId).sort()).toEqual(living(real).sort());

  const listed = await real.client.listSessions();
  expect(listed.ids.sort()).toEqual([...leases.keys()].sort());
  for (const [sessionId, url] of leases) {
    const session = (await real.client.get(`/browsers/${sessionId}`)).read(sessionSchema);
    expect(session.pool?.id).toBe(real.id);
    const { pathname, search } = new URL(url);
    expect((await real.client.get(`${pathname}/json/version${search}`)).status).toBe(200);
  }
}

async function requireDead(urls: string[]): Promise<void> {
  for (const url of urls) expect((await upgrade(url)).status).toBe(410);
}

function acquire({ client, id }: RealPool, waitSeconds = 0) {
  return client.post(`/browser_pools/${id}/acquire`, { acquire_timeout_seconds: waitSeconds });
}

function release({ client, id }: RealPool, sessionId: string, reuse = true) {
  return client.post(`/browser_pools/${id}/release`, { session_id: sessionId, reuse });
}

function beginLease({ leases }: PoolModel, { session_id, cdp_ws_url }: SessionBody): void {
  expect([...leases.keys()], "held by two callers").not.toContain(session_id);
  leases.set(session_id, cdp_ws_url);
}

/** The lease is over: its address is dead. */
async function loseLease(
  { leases }: Pick<PoolModel, "leases">,
  real: RealPool,
  sessionId: string,
): Promise<void> {
  const url = leases.get(sessionId);
  if (url === undefined) return;
  leases.delete(sessionId);
  real.deadURLs.push(url);
  await requireDead([url]);
}

/** A browser crashes, and its session hears of it in its own time. */
async function crash(real: RealPool, sessionId: string): Promise<void> {
  const { browserId = "" } = (await readRecord(sessionId)) ?? {};
  await inside(sessionId, () => real.browsers.kill(browserId));
}

async function whenGone({ id }: RealPool, sessionId: string): Promise<void> {
  const membersLater = async () => {
    // A browser is lost once the platform has not known it for a while.
    passTime(15_000);
    await runAlarm(sessionId);
    return idsOf(await readMembers(id));
  };
  await expect.poll(membersLater, AT_REST).not.toContain(sessionId);
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

/** One of several, for any number. */
function pick(ids: string[], which: number): string {
  return ids[which % ids.length] ?? "";
}

const acquireOne = command("acquire", async (model, real) => {
  const [longestIdle] = await idleIds(real);
  const answer = await acquire(real);
  expect(answer.status, answer.text).toBe(longestIdle === undefined ? 204 : 200);
  if (longestIdle === undefined) return;
  const session = answer.read(sessionSchema);
  expect(session.session_id).toBe(longestIdle);
  beginLease(model, session);
});

const acquireTogether = (callers: number) =>
  command(`acquire by ${callers} at once`, async (model, real) => {
    const idle = await idleIds(real);
    const answers = await Promise.all(Array.from({ length: callers }, () => acquire(real)));
    const served = answers.filter(({ status }) => status !== 204);
    expect(served).toHaveLength(Math.min(callers, idle.length));
    for (const answer of served) beginLease(model, answer.read(sessionSchema));
  });

const releaseOne = (which: number, reuse: boolean) =>
  command(
    `release ${which} ${reuse ? "for reuse" : "for good"}`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      const isKept = reuse && (await restingMembers(real.id)).length <= model.size;
      const answer = await release(real, sessionId, reuse);
      expect(answer.status, answer.text).toBe(204);
      await loseLease(model, real, sessionId);
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
      await loseLease(model, real, sessionId);
      beginLease(model, session);
    },
    // Otherwise the browser that is released is not kept.
    ({ leases, size }) => leases.size > 0 && leases.size <= size,
  );

const endSession = (which: number) =>
  command(
    `delete session ${which}`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      expect((await real.client.delete(`/browsers/${sessionId}`)).status).toBe(204);
      await loseLease(model, real, sessionId);
      expect(idsOf(await restingMembers(real.id))).not.toContain(sessionId);
    },
    isAnyLeased,
  );

const useIdle = command("use idle sessions", async (_, real) => {
  const members = await restingMembers(real.id);
  for (const sessionId of idsOf(members, "idle")) {
    expect((await real.client.get(`/browsers/${sessionId}`)).status).toBe(404);
    expect((await real.client.delete(`/browsers/${sessionId}`)).status).toBe(404);
    expect((await release(real, sessionId)).status).toBe(404);
  }
  expect(await restingMembers(real.id)).toEqual(members);
});

const crashOne = (which: number) =>
  command(`crash browser ${which}`, async (model, real) => {
    const members = await restingMembers(real.id);
    if (members.length === 0) return;
    const sessionId = pick(idsOf(members), which);
    await crash(real, sessionId);
    await whenGone(real, sessionId);
    await loseLease(model, real, sessionId);
  });

const acquireWhileCrashing = command("acquire while browsers crash", async (model, real) => {
  const [longestIdle] = await idleIds(real);
  if (longestIdle === undefined) return;
  const [answer] = await Promise.all([acquire(real), crash(real, longestIdle)]);
  expect([200, 204]).toContain(answer.status);
  if (answer.status === 200) beginLease(model, answer.read(sessionSchema));
  await whenGone(real, longestIdle);
  await loseLease(model, real, longestIdle);
});

const timeOut = (which: number) =>
  command(
    `time out session ${which}`,
    async (model, real) => {
      const sessionId = pick([...model.leases.keys()], which);
      passTime(TIMEOUT_SECONDS * 1000);
      expect(await runAlarm(sessionId)).toBe(true);
      await loseLease(model, real, sessionId);
      expect(idsOf(await restingMembers(real.id))).not.toContain(sessionId);
    },
    isAnyLeased,
  );

const resize = (size: number) =>
  command(`resize to ${size}`, async (model, real) => {
    const answer = await real.client.patch(`/browser_pools/${real.id}`, { size });
    expect(answer.status, answer.text).toBe(200);
    model.size = size;
  });

const discardIdle = command("discard all idle", async ({ size, leases }, real) => {
  const discarded = await idleIds(real);
  const answer = await real.client.patch(`/browser_pools/${real.id}`, { size, discard_all_idle: true });
  expect(answer.status, answer.text).toBe(200);
  const idle = await idleIds(real);
  for (const sessionId of discarded) expect(idle).not.toContain(sessionId);
  // Others come in their place at once, whatever the fill rate.
  expect(idle.length).toBeGreaterThanOrEqual(Math.min(discarded.length, size - leases.size));
});

const flush = command("flush", async (_, real) => {
  const flushed = await idleIds(real);
  const answer = await real.client.post(`/browser_pools/${real.id}/flush`);
  expect(answer.status, answer.text).toBe(204);
  const idle = await idleIds(real);
  for (const sessionId of flushed) expect(idle).not.toContain(sessionId);
});

const restart = command("restart", async (_, real) => {
  const members = await restingMembers(real.id);
  await restartPool(real.id);
  expect(await restingMembers(real.id)).toEqual(members);
});

const restartWhileAcquiring = command("restart while somebody acquires", async (model, real) => {
  const [answer] = await Promise.all([acquire(real), restartPool(real.id)]);
  if (answer.status === 200) beginLease(model, answer.read(sessionSchema));
  // The answer may be lost after the browser was handed out.
  const lost = idsOf(await restingMembers(real.id), "leased").filter((id) => !model.leases.has(id));
  expect(lost.length).toBeLessThanOrEqual(answer.status < 500 ? 0 : 1);
  for (const sessionId of lost) expect((await release(real, sessionId)).status).toBe(204);
});

const fill = command("fill", async ({ size }, real) => {
  const { length } = await restingMembers(real.id);
  await fillUp(real.id);
  expect((await restingMembers(real.id)).length).toBeGreaterThanOrEqual(Math.min(size, length + 1));
});

const settleAgain = command("settle", async (_, real) => {
  const members = await restingMembers(real.id);
  await runPoolDeadline(real.id, "settle");
  expect(await restingMembers(real.id)).toEqual(members);
});

/** Goes on with another pool. */
const deletePool = (force: boolean, size: number) =>
  command(`delete ${force ? "with" : "without"} force`, async (model, real) => {
    if (model.leases.size > 0 && !force) {
      const members = await restingMembers(real.id);
      expect((await real.client.delete(`/browser_pools/${real.id}`)).status).toBe(409);
      expect(await restingMembers(real.id)).toEqual(members);
      return;
    }
    await endPool(model, real);
    real.id = await createFullPool(real.client, size);
    model.size = size;
  });

const sizes = fc.integer({ min: 1, max: MAX_SIZE });

/** How a pool begins: with some browsers leased, often all. */
export const beginnings = sizes.chain((size) =>
  fc.record({ size: fc.constant(size), leased: fc.oneof(fc.nat(size), fc.constant(size)) }),
);

const which = fc.nat(MAX_SIZE);

const aRelease = fc.tuple(which, fc.boolean()).map(([number, reuse]) => releaseOne(number, reuse));
const aDeletion = fc.tuple(fc.boolean(), sizes).map(([force, size]) => deletePool(force, size));

const anyCommand = fc.oneof(
  { weight: 6, arbitrary: fc.constant(acquireOne) },
  { weight: 2, arbitrary: fc.integer({ min: 2, max: 5 }).map(acquireTogether) },
  { weight: 1, arbitrary: fc.constant(acquireWhileCrashing) },
  { weight: 6, arbitrary: aRelease },
  { weight: 3, arbitrary: which.map(handOver) },
  { weight: 2, arbitrary: which.map(endSession) },
  { weight: 2, arbitrary: which.map(timeOut) },
  { weight: 2, arbitrary: which.map(crashOne) },
  { weight: 1, arbitrary: fc.constant(useIdle) },
  { weight: 3, arbitrary: sizes.map(resize) },
  // Fewer than are leased, often.
  { weight: 2, arbitrary: fc.constant(resize(1)) },
  { weight: 1, arbitrary: fc.constantFrom(discardIdle, flush) },
  { weight: 2, arbitrary: fc.constantFrom(restart, restartWhileAcquiring) },
  { weight: 2, arbitrary: fc.constant(fill) },
  { weight: 1, arbitrary: fc.constant(settleAgain) },
  { weight: 1, arbitrary: aDeletion },
);

/** Sequences of what may happen to a pool. */
export const poolCommands = fc.commands<PoolModel, RealPool, false>([anyCommand], {
  maxCommands: 25,
  size: "max",
});
