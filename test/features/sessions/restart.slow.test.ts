import { describe, expect, it } from "vitest";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { newClient, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import {
  advanceTime,
  EMPTY_STORAGE,
  readRecord,
  readStorage,
  restart,
  runAlarm,
  runInSession,
  waitUntilEnded,
} from "../../objects.ts";
import {
  insertSessionRow,
  readIdempotencyKeys,
  readLaunchedBrowsers,
  readSessionRow,
  readSessionRows,
} from "../../records.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();

async function createSession(timeoutSeconds = 30) {
  const client = await newClient();
  const session = await client.createSession({ timeout_seconds: timeoutSeconds });
  return {
    client,
    id: session.session_id,
    url: session.cdp_ws_url,
    browserId: browsers.launched.at(-1) ?? "",
  };
}

describe("a session with a restarted object", () => {
  it("stays usable when its browser is alive", async () => {
    const { client, id, url, browserId } = await createSession();
    await restart(id);
    const socket = await openSocket(url);
    const listener = new Listener(socket);
    socket.send('{"id":7,"method":"Browser.getVersion"}');
    expect(await listener.first(1)).toEqual([expect.stringContaining('"product":')]);
    socket.close(1000);
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
    await expect.poll(() => browsers.living).not.toContain(browserId);
  });

  it("counts inactivity from before the restart", async () => {
    const { id } = await createSession();
    advanceTime(29_000);
    await restart(id);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    advanceTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("restarts its inactivity timeout when it was in use", async () => {
    const { id, url } = await createSession();
    await openSocket(url);
    advanceTime(40_000);
    await restart(id);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    advanceTime(30_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("ends as lost at an alarm when its browser died too", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession({ timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    await restart(id);
    browsers.living.delete(browserId);
    await waitUntilEnded(id);
    await expect.poll(() => readSessionRow(id)).toMatchObject({ state: "ended", endReason: "browser_lost" });
    expect((await readLaunchedBrowsers()).map((browser) => browser.browserId)).not.toContain(browserId);
  });

  it("ends as lost when a client finds its browser dead", async () => {
    const { id, url, browserId } = await createSession(3600);
    await restart(id);
    browsers.living.delete(browserId);
    const response = await upgrade(url);
    expect(response.status).toBe(503);
    await waitUntilEnded(id);
    await expect.poll(() => readSessionRow(id)).toMatchObject({ state: "ended", endReason: "browser_lost" });
    expect((await upgrade(url)).status).toBe(410);
  });

  it("stays ended", async () => {
    const { client, id, url } = await createSession();
    await client.delete(`/browsers/${id}`);
    await restart(id);
    expect((await upgrade(url)).status).toBe(410);
  });
});

describe("an interrupted start", () => {
  it.each([
    ["before its browser was launched", undefined],
    ["after its browser was launched", "a-browser"],
  ])("is undone %s", async (_, browserId) => {
    const { organizationId } = await newClient();
    const id = newIdentifier();
    await insertSessionRow({ organizationId, id, state: "starting", name: "worker" });
    if (browserId !== undefined) browsers.adopt(browserId);
    await runInSession(id, ({ kv }) =>
      kv.put("session", {
        id,
        organizationId,
        timeoutMs: 60_000,
        viewport: { width: 1920, height: 1080, refreshRate: 25 },
        startURL: null,
        phase: "starting",
        browserId,
      }),
    );
    await restart(id);
    await expect.poll(() => readStorage(id)).toEqual(EMPTY_STORAGE);
    expect(await readSessionRow(id)).toBeUndefined();
    await expect.poll(() => browsers.living).not.toContain("a-browser");
    expect((await readLaunchedBrowsers()).map((browser) => browser.sessionId)).not.toContain(id);
  });

  it("frees its slot, name and idempotency key when its object crashes", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const creating = client.post("/browsers", { name: "worker" }, { "idempotency-key": "key" });
    await expect.poll(() => readSessionRows(client.organizationId)).toHaveLength(1);
    const [row] = await readSessionRows(client.organizationId);
    await expect.poll(() => readRecord(row?.id ?? "")).toMatchObject({ phase: "starting" });
    await restart(row?.id ?? "");
    gate.resolve();
    expect((await creating).status).toBeGreaterThanOrEqual(500);
    await expect.poll(() => readStorage(row?.id ?? "")).toEqual(EMPTY_STORAGE);
    expect(await readIdempotencyKeys(client.organizationId)).toEqual([]);
    await client.createSession({ name: "worker" });
  });
});
