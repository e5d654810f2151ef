import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keyCache } from "../../../src/features/organizations/authentication.ts";
import { Client, newClient, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, runAlarm } from "../../objects.ts";
import { readLaunchedBrowsers, readSessionRow } from "../../records.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();
const TABLES = ["browser_sessions", "idempotency_keys", "organizations", "api_keys"];
let broken = false;

async function breakDatabase(): Promise<void> {
  for (const table of TABLES) await env.DB.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  broken = true;
}

async function repairDatabase(): Promise<void> {
  if (broken) for (const table of TABLES) await env.DB.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  broken = false;
}

async function createSession() {
  const client = await newClient();
  const session = await client.createSession({ timeout_seconds: 30 });
  return {
    client,
    id: session.session_id,
    url: session.cdp_ws_url,
    browserId: browsers.launched.at(-1) ?? "",
  };
}

async function expectResponsive(socket: WebSocket): Promise<void> {
  const listener = new Listener(socket);
  socket.send('{"id":7,"method":"Browser.getVersion"}');
  expect(await listener.first(1)).toEqual([expect.stringContaining('"product":')]);
}

afterEach(async () => {
  vi.useRealTimers();
  await repairDatabase();
});

it("a full disk returns 507 and says so", async () => {
  const client = await newClient();
  await env.DB.exec(
    "CREATE TRIGGER full BEFORE INSERT ON profiles BEGIN SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL'); END",
  );
  try {
    const response = await client.post("/profiles", { name: "large" });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([507, "false"]);
    expect(response.error).toMatchObject({
      code: "insufficient_storage",
      message: expect.stringContaining("no space left"),
    });
  } finally {
    await env.DB.exec("DROP TRIGGER full");
  }
});

describe("during a database outage", () => {
  it("an uncached key returns 503, never 401", async () => {
    const client = await newClient();
    await breakDatabase();
    for (const caller of [client, new Client("berth_unknown")]) {
      const response = await caller.get("/browsers");
      expect(response.status).toBe(503);
      expect(response.headers.has("retry-after")).toBe(true);
      expect(response.error.code).toBe("service_unavailable");
    }
    await repairDatabase();
    expect((await client.get("/browsers")).status).toBe(200);
    expect((await new Client("berth_unknown").get("/browsers")).status).toBe(401);
  });

  it("a key is cached for 5 minutes, but database routes return 503", async () => {
    const { client } = await createSession();
    await breakDatabase();
    advanceTime(280_000);
    for (const response of [await client.get("/browsers"), await client.post("/browsers")]) {
      expect(response.status).toBe(503);
      expect(response.error.message).toBe("The database does not answer");
    }
    expect((await client.get("/credentials")).status).toBe(501);
    advanceTime(20_000);
    expect((await client.get("/credentials")).status).toBe(503);
  });

  it("a running session stays usable over open and new sockets", async () => {
    const { url } = await createSession();
    const socket = await openSocket(url);
    await breakDatabase();
    keyCache.deleteOrganization("any");
    await expectResponsive(socket);
    await expectResponsive(await openSocket(url));
  });

  it("a session times out and the index catches up later", async () => {
    const { id, browserId, url } = await createSession();
    await breakDatabase();
    advanceTime(30_000);
    await runAlarm(id);
    await expect.poll(() => browsers.living).not.toContain(browserId);
    advanceTime(40_000);
    await runAlarm(id);
    await repairDatabase();
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    const endedBefore = Date.now() - 60_000;
    advanceTime(40_000);
    await runAlarm(id);
    const row = await readSessionRow(id);
    expect(row).toMatchObject({ state: "ended", endReason: "inactivity" });
    expect(row?.deletedAt).toBeLessThanOrEqual(endedBefore + 60_000);
    expect((await readLaunchedBrowsers()).map((browser) => browser.browserId)).not.toContain(browserId);
    await expect(openSocket(url)).rejects.toThrow("410");
  });

  it("a session can be ended by id and the index catches up later", async () => {
    const { client, id, browserId } = await createSession();
    await client.get("/browsers");
    await breakDatabase();
    const response = await client.delete(`/browsers/${id}`);
    await repairDatabase();
    expect(response.status).toBe(204);
    await expect.poll(() => browsers.living).not.toContain(browserId);
    advanceTime(60_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "deleted" });
  });

  it("a failed create leaves no browser behind", async () => {
    const { client } = await createSession();
    const living = new Set(browsers.living);
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    browsers.refusal = ({ method }) => {
      if (method === "POST") reached.resolve();
      return undefined;
    };
    browsers.launchGate = gate.promise;
    const creating = client.post("/browsers");
    await reached.promise;
    await breakDatabase();
    gate.resolve();
    expect((await creating).status).toBe(503);
    await repairDatabase();
    expect(new Set(browsers.living)).toEqual(living);
  });
});
