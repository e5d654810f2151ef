import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { recordHealth } from "../../../src/features/proxies/store.ts";
import { sweepProxies } from "../../../src/features/proxies/sweep.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { operator, useNewClient } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";
import { changeProxyRow, createProxy, readChecks, readProxyRow } from "./proxies.ts";

const database = openDatabase(env.DB);

const client = useNewClient();

describe("sweepProxies", () => {
  it("checks the least recently checked proxies, up to the limit of a run", async () => {
    // Keeps the proxies of other tests from being due.
    await env.DB.prepare("UPDATE proxies SET last_checked_at = ?").bind(Date.now()).run();
    const ids = await Promise.all(Array.from({ length: 52 }, async () => (await createProxy(client)).id));
    const now = Date.now();
    const overdueSince = now - 900_000;
    for (const [index, id] of ids.entries()) {
      await changeProxyRow(id, { lastCheckedAt: overdueSince - 100 + index, status: "available" });
    }
    const [first = "", second = ""] = ids;
    await changeProxyRow(second, { lastCheckedAt: overdueSince + 1 });
    await sweepProxies(env, now);
    const statuses = await Promise.all(ids.map(async (id) => (await readProxyRow(id))?.status));
    expect(statuses[0]).toBe("unavailable");
    expect(statuses[1]).toBe("available");
    expect(statuses.slice(2, 51)).toEqual(Array(49).fill("unavailable"));
    expect(statuses[51]).toBe("available");
    await sweepProxies(env, now);
    expect(await readProxyRow(ids[51] ?? "")).toMatchObject({ status: "unavailable" });
    expect((await readProxyRow(first))?.lastCheckedAt).toBeGreaterThanOrEqual(now);
    expect(await readChecks(first)).toHaveLength(2);
    expect(await readChecks(second)).toHaveLength(1);
  });

  it("checks nothing when turned off", async () => {
    const { id } = await createProxy(client);
    await changeProxyRow(id, { lastCheckedAt: 0 });
    await sweepProxies({ ...env, PROXY_CHECK_SECONDS: "0" }, Date.now());
    expect((await readProxyRow(id))?.lastCheckedAt).toBe(0);
  });

  it("removes a deleted proxy once no live session uses it", async () => {
    const { id } = await createProxy(client);
    const { organizationId } = client;
    const session = await insertSessionRow({ organizationId, proxyId: id });
    await insertEndedRow({ organizationId, proxyId: id });
    await sweepProxies(env, Date.now());
    expect(await readProxyRow(id)).toMatchObject({ deletedAt: null });
    await client.delete(`/proxies/${id}`);
    await sweepProxies(env, Date.now());
    expect(await readProxyRow(id)).toMatchObject({ deletedAt: expect.any(Number) });
    expect(await readChecks(id)).not.toEqual([]);
    const kept = await createProxy(client);
    await env.DB.prepare("UPDATE browser_sessions SET state = 'ended' WHERE id = ?").bind(session.id).run();
    await sweepProxies(env, Date.now());
    expect(await readProxyRow(id)).toBeUndefined();
    expect(await readChecks(id)).toEqual([]);
    expect(await readChecks(kept.id)).toHaveLength(1);
  });

  it("removes the proxies of a deleted organization", async () => {
    const { id } = await createProxy(client);
    expect((await operator.delete(`/admin/organizations/${client.organizationId}`)).status).toBe(204);
    await sweepProxies(env, Date.now());
    expect(await readProxyRow(id)).toBeUndefined();
  });

  it("never throws", async () => {
    await sweepProxies({ ...env, PROXY_CHECK_SECONDS: "never" }, Date.now());
  });
});

describe("recordHealth", () => {
  it("ignores older checks and deleted proxies, and keeps the last address", async () => {
    const { id } = await createProxy(client);
    const later = Date.now() + 10_000;
    await recordHealth(database, id, {
      status: "available",
      ipAddress: "93.184.215.14",
      checkedAt: later,
      durationMs: 5,
    });
    await recordHealth(database, id, { status: "unavailable", checkedAt: later - 1, durationMs: 5 });
    expect(await readProxyRow(id)).toMatchObject({ status: "available", lastCheckedAt: later });
    const failed = await recordHealth(database, id, {
      status: "unavailable",
      checkedAt: later + 1,
      durationMs: 5,
    });
    expect(failed).toMatchObject({ status: "unavailable", ipAddress: "93.184.215.14" });
    await client.delete(`/proxies/${id}`);
    const health = { status: "available", checkedAt: later + 2, durationMs: 5 } as const;
    expect(await recordHealth(database, id, health)).toBeUndefined();
    expect(await readProxyRow(id)).toMatchObject({ status: "unavailable" });
    expect((await readChecks(id)).map(({ checkedAt }) => checkedAt)).not.toContain(later + 2);
  });

  it("keeps the latest 200 checks of a proxy", async () => {
    const { id } = await createProxy(client);
    const other = await createProxy(client);
    await env.DB.prepare("DELETE FROM proxy_checks WHERE proxy_id IN (?, ?)").bind(id, other.id).run();
    await env.DB.prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
        INSERT INTO proxy_checks SELECT hex(randomblob(12)), proxies.id, n, 'available', 5, NULL
        FROM numbers, proxies WHERE proxies.id IN (?, ?)`,
    )
      .bind(id, other.id)
      .run();
    for (const checkedAt of [201, 202, 1]) {
      await recordHealth(database, id, { status: "unavailable", checkedAt, durationMs: 5 });
    }
    const times = (await readChecks(id)).map(({ checkedAt }) => checkedAt);
    expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 3));
    expect(await readChecks(other.id)).toHaveLength(200);
  });
});
