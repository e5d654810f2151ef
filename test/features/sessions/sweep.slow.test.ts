import { createExecutionContext, createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sweepSessions } from "../../../src/features/sessions/lifecycle/sweep.ts";
import worker from "../../../src/index.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { brokerOf } from "../../../src/platform/broker/index.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { runInSession, waitUntilEnded } from "../../objects.ts";
import {
  insertEndedRow,
  insertLaunchedBrowser,
  insertSessionRow,
  readIdempotencyKeys,
  readLaunchedBrowsers,
  readSessionRow,
} from "../../records.ts";

const browsers = useFakeBrowsers();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Records a browser launched for a session `ageMs` ago. */
async function launch(sessionId: string, ageMs: number): Promise<string> {
  const browserId = crypto.randomUUID();
  browsers.adopt(browserId);
  await insertLaunchedBrowser({ browserId, sessionId, launchedAt: Date.now() - ageMs });
  return browserId;
}

async function isLaunched(browserId: string): Promise<boolean> {
  return (await readLaunchedBrowsers()).some((browser) => browser.browserId === browserId);
}

const sweep = () => sweepSessions(env, Date.now());

describe("sweepSessions", () => {
  it("closes a launched browser whose session is unknown or has ended", async () => {
    const ended = await insertEndedRow({ organizationId: "o" });
    const orphans = [await launch(newIdentifier(), 3 * MINUTE_MS), await launch(ended.id, 3 * MINUTE_MS)];
    await sweep();
    for (const browserId of orphans) {
      await expect.poll(() => browsers.living).not.toContain(browserId);
      expect(await isLaunched(browserId)).toBe(false);
    }
  });

  it("keeps a browser that Berth did not launch", async () => {
    browsers.adopt("foreign");
    await launch(newIdentifier(), 3 * MINUTE_MS);
    await sweep();
    expect(browsers.living).toContain("foreign");
    expect(browsers.closed).not.toContain("foreign");
  });

  it("closes an unknown browser with OWNS_ALL_BROWSERS, unless it is young or the probe's", async () => {
    const { OWNS_ALL_BROWSERS } = env;
    env.OWNS_ALL_BROWSERS = "true";
    try {
      const known = await launch((await newClient().then((client) => client.createSession())).session_id, 0);
      browsers.adopt("unknown");
      browsers.adopt("probe");
      await runInDurableObject(env.PLATFORM_PROBE.getByName("probe"), (_, { storage }) =>
        storage.kv.put("browsers", { probe: 1 }),
      );
      await sweepSessions(env, 2 * MINUTE_MS);
      expect(browsers.living).toContain("unknown");
      await sweep();
      expect(browsers.closed).toContain("unknown");
      expect(browsers.living).toContain(known);
      expect(browsers.living).toContain("probe");
    } finally {
      env.OWNS_ALL_BROWSERS = OWNS_ALL_BROWSERS;
    }
  });

  it("keeps browsers and starts younger than two minutes", async () => {
    const young = await launch(newIdentifier(), 2 * MINUTE_MS - 5000);
    const starting = await insertSessionRow({
      organizationId: "o",
      state: "starting",
      createdAt: Date.now() - 2 * MINUTE_MS + 5000,
    });
    await sweep();
    expect(browsers.living).toContain(young);
    expect(await isLaunched(young)).toBe(true);
    expect(await readSessionRow(starting.id)).toBeDefined();
  });

  it("keeps a healthy session", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession({ timeout_seconds: 3600 });
    await sweepSessions(env, Date.now() + 5 * MINUTE_MS);
    expect(await readSessionRow(session_id)).toMatchObject({ state: "active" });
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
  });

  it("ends a session whose browser is lost", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession({ timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    await runInSession(session_id, () => browsers.kill(browserId));
    await sweepSessions(env, Date.now() + 5 * MINUTE_MS);
    await waitUntilEnded(session_id);
    await expect
      .poll(() => readSessionRow(session_id))
      .toMatchObject({ state: "ended", endReason: "browser_lost" });
    await expect.poll(() => isLaunched(browserId)).toBe(false);
  });

  it("ends or removes active rows without an object", async () => {
    const { organizationId } = await newClient();
    const createdAt = Date.now() - 3 * MINUTE_MS;
    const bare = await insertSessionRow({ organizationId, createdAt });
    const lost = await insertSessionRow({ organizationId, createdAt });
    const browserId = await launch(lost.id, 3 * MINUTE_MS);
    browsers.living.delete(browserId);
    await sweep();
    for (const { id } of [bare, lost]) expect((await readSessionRow(id))?.state).not.toBe("active");
  });

  it("removes an abandoned start and frees its idempotency key", async () => {
    const { organizationId } = await newClient();
    const { id } = await insertSessionRow({
      organizationId,
      state: "starting",
      createdAt: Date.now() - 3 * MINUTE_MS,
    });
    await env.DB.prepare("INSERT INTO idempotency_keys VALUES (?, 'key', 'hash', ?, ?)")
      .bind(organizationId, id, Date.now())
      .run();
    await sweep();
    expect(await readSessionRow(id)).toBeUndefined();
    expect(await readIdempotencyKeys(organizationId)).toEqual([]);
  });

  it("ends the sessions of a disabled organization", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession({ timeout_seconds: 3600 });
    await env.DB.prepare("UPDATE organizations SET disabled_at = 1 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    await sweep();
    expect(await readSessionRow(session_id)).toMatchObject({
      state: "ended",
      endReason: "organization_ended",
    });
  });

  it("removes only expired ended sessions and idempotency keys", async () => {
    const { organizationId } = await newClient();
    const now = Date.now();
    const old = await insertEndedRow({ organizationId, deletedAt: now - 30 * DAY_MS - 1000 });
    const kept = await insertEndedRow({ organizationId, deletedAt: now - 30 * DAY_MS + MINUTE_MS });
    const living = await insertSessionRow({ organizationId, createdAt: now - 1000 });
    for (const [key, age] of [
      ["old", DAY_MS + 1000],
      ["kept", DAY_MS - MINUTE_MS],
    ] as const) {
      await env.DB.prepare("INSERT INTO idempotency_keys VALUES (?, ?, 'hash', ?, ?)")
        .bind(organizationId, key, living.id, now - age)
        .run();
    }
    await sweep();
    expect(await readSessionRow(old.id)).toBeUndefined();
    expect(await readSessionRow(kept.id)).toBeDefined();
    expect(await readSessionRow(living.id)).toMatchObject({ state: "active" });
    expect((await readIdempotencyKeys(organizationId)).map(({ key }) => key)).toEqual(["kept"]);
  });

  it("continues when a browser cannot be closed", async () => {
    const failing = await launch(newIdentifier(), 3 * MINUTE_MS);
    const other = await launch(newIdentifier(), 3 * MINUTE_MS);
    browsers.refusal = ({ method, path }) =>
      method === "DELETE" && path.endsWith(failing) ? new Response("no", { status: 500 }) : undefined;
    await sweep();
    await expect.poll(() => browsers.living).not.toContain(other);
    const recorded = (await brokerOf(env, null).listBrowsers()).find(
      ({ browserId }) => browserId === failing,
    );
    expect(recorded?.state).toBe("closing");
    browsers.refusal = undefined;
    await sweep();
    await expect.poll(() => browsers.living).not.toContain(failing);
  });

  it("forgets a closing browser that the platform does not list", async () => {
    const browserId = await launch(newIdentifier(), 3 * MINUTE_MS);
    const isRecorded = async () =>
      (await brokerOf(env, null).listBrowsers()).some((browser) => browser.browserId === browserId);
    browsers.refusal = ({ method }) =>
      method === "DELETE" ? new Response("what browser?", { status: 400 }) : undefined;
    await sweep();
    expect(await isRecorded()).toBe(true);
    browsers.living.delete(browserId);
    await sweep();
    expect(await isRecorded()).toBe(false);
  });

  it("changes nothing when the platform does not list its browsers", async () => {
    const { organizationId } = await newClient();
    const { id } = await insertSessionRow({ organizationId, createdAt: Date.now() - 3 * MINUTE_MS });
    const browserId = await launch(id, 3 * MINUTE_MS);
    browsers.refusal = () => new Response("no", { status: 500 });
    await sweep().catch(() => undefined);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    expect(await isLaunched(browserId)).toBe(true);
  });

  it("is run by the scheduled handler, which never throws", async () => {
    const orphan = await launch(newIdentifier(), 3 * MINUTE_MS);
    browsers.refusal = () => new Response("no", { status: 500 });
    await expect(
      worker.scheduled(createScheduledController(), env, createExecutionContext()),
    ).resolves.toBeUndefined();
    browsers.refusal = undefined;
    await worker.scheduled(
      createScheduledController({ scheduledTime: new Date() }),
      env,
      createExecutionContext(),
    );
    await expect.poll(() => browsers.living).not.toContain(orphan);
  });
});
