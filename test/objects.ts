import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { BrowserSession } from "../src/features/sessions/object.ts";
import type { SessionRecord } from "../src/features/sessions/record.ts";
import { brokerOf } from "../src/platform/broker/index.ts";

export function objectOf(sessionId: string): DurableObjectStub<BrowserSession> {
  return env.BROWSER_SESSION.getByName(sessionId);
}

/** Runs a session's alarm now; resolves to false if none is set. */
export function runAlarm(sessionId: string): Promise<boolean> {
  return runDurableObjectAlarm(objectOf(sessionId));
}

/** Runs code inside a session's object, which may use the object's sockets. */
export function runInSession<T>(
  sessionId: string,
  work: (storage: DurableObjectStorage) => T | Promise<T>,
): Promise<T> {
  return runInDurableObject(objectOf(sessionId), (_, { storage }) => work(storage));
}

/** Crashes an object; the next request starts it again with the same storage, which `prepare` may change. */
export async function crashObject<O extends Rpc.DurableObjectBranded & DurableObject>(
  object: DurableObjectStub<O>,
  prepare: (storage: DurableObjectStorage) => unknown = () => undefined,
): Promise<void> {
  const crashed = runInDurableObject(object, async (_, state) => {
    await prepare(state.storage);
    await state.storage.sync();
    state.abort("crashed by a test");
  });
  await crashed.catch(() => undefined);
}

export function restart(sessionId: string): Promise<void> {
  return crashObject(objectOf(sessionId));
}

/** Restarts the broker without a region, so that it forgets what it knows about the platform. */
export function restartBroker(): Promise<void> {
  return crashObject(brokerOf(env, null));
}

export async function waitUntilEnded(sessionId: string): Promise<void> {
  const end = { reason: "browser_lost" };
  await expect
    .poll(async () => {
      advanceTime(15_000);
      await runAlarm(sessionId);
      return readRecord(sessionId);
    })
    .toMatchObject({ end });
}

export function readRecord(sessionId: string): Promise<SessionRecord | undefined> {
  return runInSession(sessionId, ({ kv }) => kv.get<SessionRecord>("session"));
}

/** Whether a session is kept from timing out. */
export function isInUse(sessionId: string): Promise<boolean> {
  return runInSession(
    sessionId,
    ({ kv }) => kv.get<{ idleSince: number | null }>("activity")?.idleSince === null,
  );
}

export function readStorage(sessionId: string) {
  return readObject(objectOf(sessionId));
}

/** An object's stored keys, its own tables and its alarm. */
export function readObject<O extends Rpc.DurableObjectBranded & DurableObject>(object: DurableObjectStub<O>) {
  return runInDurableObject(object, async (_, { storage }) => ({
    keys: [...(await storage.list()).keys()],
    tables: storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => name),
    alarm: await storage.getAlarm(),
  }));
}

export const EMPTY_STORAGE = { keys: [], tables: [], alarm: null };

/** Advances the clock of the Worker and its objects. Timers stay real. */
export function advanceTime(milliseconds: number): void {
  const now = Date.now();
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ["Date"], now });
  vi.setSystemTime(now + milliseconds);
}
