import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keyCache } from "../../src/organizations/authentication.ts";
import { Client, newClient, openSocket } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { passTime, runAlarm } from "../objects.ts";
import { readLaunchedBrowsers, readSessionRow } from "../records.ts";
import { Listener } from "../sockets.ts";

const browsers = useFakeBrowsers();
const TABLES = ["browser_sessions", "launched_browsers", "idempotency_keys", "organizations", "api_keys"];
let broken = false;

async function breakDatabase(): Promise<void> {
  for (const table of TABLES) await env.DB.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  broken = true;
}

async function mendDatabase(): Promise<void> {
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

async function talk(socket: WebSocket): Promise<void> {
  const heard = new Listener(socket);
  socket.send('{"id":7,"method":"Browser.getVersion"}');
  expect(await heard.first(1)).toEqual([expect.stringContaining('"product":')]);
}

afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

describe("while the database fails", () => {
  it("a key that nobody has used lately is 503, never 401", async () => {
    const client = await newClient();
    await breakDatabase();
    for (const caller of [client, new Client("berth_unknown")]) {
      const answer = await caller.get("/browsers");
      expect(answer.status).toBe(503);
      expect(answer.headers.has("retry-after")).toBe(true);
      expect(answer.error.code).toBe("service_unavailable");
    }
    await mendDatabase();
    expect((await client.get("/browsers")).status).toBe(200);
    expect((await new Client("berth_unknown").get("/browsers")).status).toBe(401);
  });

  it("a key used in the last 5 minutes is known, and what needs the database says 503", async () => {
    const { client } = await createSession();
    await breakDatabase();
    passTime(280_000);
    for (const answer of [await client.get("/browsers"), await client.post("/browsers")]) {
      expect(answer.status).toBe(503);
      expect(answer.error.message).toBe("The database does not answer");
    }
    expect((await client.get("/credentials")).status).toBe(501);
    passTime(20_000);
    expect((await client.get("/credentials")).status).toBe(503);
  });

  it("a running session is driven on, over open sockets and new ones", async () => {
    const { url } = await createSession();
    const socket = await openSocket(url);
    await breakDatabase();
    keyCache.deleteOrganization("any");
    await talk(socket);
    await talk(await openSocket(url));
  });

  it("a session still times out, and the index catches up once the database is back", async () => {
    const { id, browserId, url } = await createSession();
    await breakDatabase();
    passTime(30_000);
    await runAlarm(id);
    expect(browsers.living).not.toContain(browserId);
    passTime(40_000);
    await runAlarm(id);
    await mendDatabase();
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    const endedBefore = Date.now() - 60_000;
    passTime(40_000);
    await runAlarm(id);
    const row = await readSessionRow(id);
    expect(row).toMatchObject({ state: "ended", endReason: "inactivity" });
    expect(row?.deletedAt).toBeLessThanOrEqual(endedBefore + 60_000);
    expect((await readLaunchedBrowsers()).map((browser) => browser.browserId)).not.toContain(browserId);
    await expect(openSocket(url)).rejects.toThrow("410");
  });

  it("a session can be ended by its id, and the index catches up", async () => {
    const { client, id, browserId } = await createSession();
    await client.get("/browsers");
    await breakDatabase();
    const answer = await client.delete(`/browsers/${id}`);
    await mendDatabase();
    expect(answer.status).toBe(204);
    expect(browsers.living).not.toContain(browserId);
    passTime(60_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "deleted" });
  });

  it("a create leaves no browser behind", async () => {
    const { client } = await createSession();
    const living = new Set(browsers.living);
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    browsers.refusal = ({ method }) => {
      if (method === "POST") reached.resolve();
      return undefined;
    };
    browsers.launchGate = gate.promise;
    const call = client.post("/browsers");
    await reached.promise;
    await breakDatabase();
    gate.resolve();
    expect((await call).status).toBe(503);
    await mendDatabase();
    expect(new Set(browsers.living)).toEqual(living);
  });
});
