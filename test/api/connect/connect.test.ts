import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { Client, newClient, ORIGIN, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { counts, createFullPool, endPoolsAfterAll } from "../../features/browser-pools/pools.ts";
import { objectOf, restart } from "../../objects.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();
const anonymous = new Client();

const endedSchema = sessionSchema.pick({ end_reason: true, end_details: true });
const versionSchema = z.object({ webSocketDebuggerUrl: z.string() });

let client: Client;
let connectURL: string;
beforeEach(async () => {
  client = await newClient();
  connectURL = `${ORIGIN}/connect?token=${client.token}`;
});

async function activeSessions(): Promise<string[]> {
  return (await client.listSessions()).ids;
}

async function requireEnd(id: string): Promise<z.infer<typeof endedSchema>> {
  await expect.poll(activeSessions).not.toContain(id);
  return (await client.get(`/browsers/${id}?include_deleted=true`)).read(endedSchema);
}

async function ask(socket: WebSocket): Promise<unknown> {
  const listener = new Listener(socket);
  socket.send('{"id":7,"method":"Browser.getVersion"}');
  return (await listener.first(1))[0];
}

async function refuse(path: string, headers: Record<string, string> = {}) {
  const response = await upgrade(`${ORIGIN}${path}`, headers);
  return { status: response.status, body: JSON.stringify(await response.json()) };
}

describe("a connect URL", () => {
  it.each([
    ["/connect", "token"],
    ["/connect/", "apiKey"],
    ["/chromium", "token"],
    ["/chrome", "token"],
    ["/", "token"],
    ["/", "apiKey"],
    ["/", "api_key"],
  ])("%s with the key as %s makes a session that ends with its connection", async (path, parameter) => {
    const socket = await openSocket(`${ORIGIN}${path}?${parameter}=${client.token}`);
    expect(await ask(socket)).toContain('"product":');
    const [id = "", ...others] = await activeSessions();
    expect(others).toEqual([]);
    const { api_key } = (await client.get(`/browsers/${id}`)).read(sessionSchema);
    expect(api_key?.id).toBe(client.keyId);
    socket.close(1000);
    expect(await requireEnd(id)).toMatchObject({ end_reason: "connection_closed" });
  });

  it("takes the bearer header, and Browser Run's path", async () => {
    const headers = { authorization: `Bearer ${client.token}` };
    const path = "/client/v4/accounts/a1/browser-rendering/devtools/browser";
    for (const address of ["/connect", "/", path]) {
      (await openSocket(`${ORIGIN}${address}`, headers)).close(1000);
    }
    const kept = await openSocket(`${ORIGIN}${path}?keep_alive=600000`, headers);
    await expect.poll(async () => (await activeSessions()).length).toBe(1);
    kept.close(1000);
    const [id = ""] = await activeSessions();
    const again = await openSocket(`${ORIGIN}${path}/${id}`, headers);
    expect(await ask(again)).toContain('"product":');
    again.close(1000);
    expect(await activeSessions()).toEqual([id]);
  });

  it("gives the session its options, and any size", async () => {
    const socket = await openSocket(
      `${connectURL}&session=mine&viewport=1280x720&stealth=true&tags.team=a&timeout=300`,
    );
    const session = (await client.get("/browsers/mine")).read(sessionSchema);
    expect(session).toMatchObject({
      viewport: { width: 1280, height: 720, refresh_rate: 25 },
      stealth: true,
      tags: { team: "a" },
      timeout_seconds: 300,
    });
    socket.close(1000);
    await requireEnd(session.session_id);
  });

  it("names the parameter of an option that does not exist", async () => {
    const { status, body } = await refuse(`/connect?token=${client.token}&profile=none`);
    expect([status, body]).toEqual([400, expect.stringContaining('"profile: ')]);
    const proxy = await refuse(`/connect?token=${client.token}&proxy=none`);
    expect(proxy.body).toContain('"proxy: ');
    expect(await activeSessions()).toEqual([]);
  });

  it("respects the limit of sessions", async () => {
    const limited = await newClient({ max_concurrent_sessions: 1 });
    const path = `/connect?token=${limited.token}`;
    const socket = await openSocket(`${ORIGIN}${path}`);
    expect((await refuse(path)).status).toBe(429);
    socket.close(1000);
  });

  it("ends a session whose browser the client could not reach", async () => {
    let sockets = 0;
    browsers.refusal = ({ method, path }) => {
      if (method !== "GET" || !/\/browser\/[^/]+$/.test(path)) return undefined;
      sockets += 1;
      // The first one is the session's own.
      return sockets === 1 ? undefined : Response.json({ error: "busy" }, { status: 503 });
    };
    expect((await refuse(`/connect?token=${client.token}`)).status).toBe(503);
    browsers.refusal = undefined;
    await expect.poll(activeSessions).toEqual([]);
    await expect.poll(() => browsers.living).not.toContain(browsers.launched.at(-1));
  });

  it("ends a session whose client went away before it was connected", async () => {
    const launched = browsers.launched.length;
    const gate = Promise.withResolvers<void>();
    browsers.socketGate = gate.promise;
    const abort = new AbortController();
    const opening = client.get("/connect", { headers: { upgrade: "websocket" }, signal: abort.signal });
    const failed = opening.catch(() => undefined);
    await expect.poll(() => browsers.launched.length).toBe(launched + 1);
    abort.abort();
    gate.resolve();
    await failed;
    await expect.poll(activeSessions).toEqual([]);
  });

  it("ends the session when its object restarts, because the connection is lost then", async () => {
    await openSocket(connectURL);
    const [id = ""] = await activeSessions();
    await restart(id);
    await objectOf(id).touchByMachine();
    expect(await requireEnd(id)).toMatchObject({ end_reason: "connection_closed" });
  });

  it("waits for the last DevTools connection, not for its own", async () => {
    const first = await openSocket(`${connectURL}&session=shared`);
    const second = await openSocket(`${connectURL}&session=shared`);
    const [id = "", ...others] = await activeSessions();
    expect(others).toEqual([]);
    first.close(1000);
    expect(await ask(second)).toContain('"product":');
    expect(await activeSessions()).toEqual([id]);
    second.close(1000);
    await requireEnd(id);
  });
});

describe("session=<name>", () => {
  it("leads racing clients to one session, which keep_alive keeps", async () => {
    const url = `${connectURL}&session=mine&keep_alive=60`;
    const sockets = await Promise.all([openSocket(url), openSocket(url), openSocket(url)]);
    const [id = "", ...others] = await activeSessions();
    expect(others).toEqual([]);
    for (const socket of sockets) {
      expect(await ask(socket)).toContain('"product":');
      socket.close(1000);
    }
    (await openSocket(url)).close(1000);
    expect(await activeSessions()).toEqual([id]);
    const session = (await client.get("/browsers/mine")).read(sessionSchema);
    expect(session.timeout_seconds).toBe(60);
    await client.delete("/browsers/mine");
    const other = await openSocket(url);
    expect(await activeSessions()).not.toContain(id);
    other.close(1000);
  });

  it("connects to sessions of POST /browsers by name or id, without ending them", async () => {
    const { session_id: id } = await client.createSession({ name: "posted" });
    for (const query of [`session=posted`, `session=${id}`]) {
      (await openSocket(`${connectURL}&${query}`)).close(1000);
    }
    (await openSocket(`${ORIGIN}/?apiKey=${client.token}&sessionId=${id}`)).close(1000);
    expect(await activeSessions()).toEqual([id]);
    const unknown = await refuse(`/?apiKey=${client.token}&sessionId=none`);
    expect(unknown.status).toBe(404);
  });

  it("does not lead to another organization's session", async () => {
    const { session_id: id } = await (await newClient()).createSession({ name: "theirs" });
    const refused = await refuse(`/?apiKey=${client.token}&sessionId=${id}`);
    expect(refused.status).toBe(404);
    const socket = await openSocket(`${connectURL}&session=theirs`);
    expect(await activeSessions()).not.toContain(id);
    socket.close(1000);
  });
});

describe("pool=<name>", () => {
  it("takes a browser and releases it when the connection closes", async () => {
    const pool = await createFullPool(client, { size: 1, name: "warm" });
    for (let round = 0; round < 2; round += 1) {
      const socket = await openSocket(`${connectURL}&pool=warm&session=mine&tags.a=b`);
      expect(await ask(socket)).toContain('"product":');
      expect(await counts(client, pool.id)).toEqual([0, 1]);
      expect((await client.get("/browsers/mine")).read(sessionSchema)).toMatchObject({ tags: { a: "b" } });
      const shared = await openSocket(`${connectURL}&pool=warm&session=mine`);
      shared.close(1000);
      socket.close(1000);
      await expect.poll(() => counts(client, pool.id)).toEqual([1, 0]);
    }
    const { session_id } = (await client.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema);
    (await openSocket(`${connectURL}&session=${session_id}`)).close(1000);
    expect(await counts(client, pool.id)).toEqual([0, 1]);
    expect((await refuse(`/connect?token=${client.token}&pool=none`)).status).toBe(404);
  });
});

describe("discovery", () => {
  it.each(["/connect/json/version", "/connect/json/version/", "/json/version", "/chromium/json/version/"])(
    "%s creates nothing until the client connects",
    async (path) => {
      const before = browsers.launched.length;
      for (const [query, options] of [
        [`?token=${client.token}&viewport=800x600`, {}],
        ["?viewport=800x600", { headers: { authorization: `Bearer ${client.token}` } }],
      ] as const) {
        const answers = [1, 2, 3].map(() => anonymous.get(path + query, options));
        const [version] = await Promise.all(answers);
        const { webSocketDebuggerUrl } = versionSchema.parse(version?.json);
        expect(version?.headers.get("cache-control")).toBe("no-store");
        expect(version?.headers.get("access-control-allow-origin")).toBeNull();
        expect(browsers.launched.length).toBe(before + (query.includes("token") ? 0 : 1));
        expect(webSocketDebuggerUrl).toMatch(/^wss:/);
        const socket = await openSocket(webSocketDebuggerUrl);
        const [id = ""] = await activeSessions();
        expect((await client.get(`/browsers/${id}`)).json).toMatchObject({ viewport: { width: 800 } });
        socket.close(1000);
        await requireEnd(id);
      }
    },
  );

  it("lists the pages of an open session", async () => {
    const path = `?token=${client.token}&session=mine`;
    expect((await anonymous.get(`/connect/json/list${path}`)).json).toEqual([]);
    expect((await anonymous.get(`/connect/json/protocol${path}`)).status).toBe(404);
    const socket = await openSocket(`${connectURL}&session=mine`);
    const [page] = (await anonymous.get(`/connect/json${path}`)).read(versionSchema.array());
    (await openSocket(page?.webSocketDebuggerUrl ?? "")).close(1000);
    socket.close(1000);
  });

  it("refuses what the connection would refuse", async () => {
    const { status, text } = await client.get("/connect/json/version?timeout=x");
    expect([status, text]).toEqual([400, expect.stringContaining("timeout: ")]);
  });
});

describe("the key", () => {
  it.each(["/connect", "/", "/chromium", "/connect/json/version", "/json/list", "/json/protocol/"])(
    "is required by %s",
    async (path) => {
      expect((await refuse(path)).status).toBe(401);
      expect((await refuse(`${path}?token=berth_unknown`)).status).toBe(401);
      expect((await refuse(`${path}?token=`)).status).toBe(401);
    },
  );

  it("may be given in several ways, but not as several keys", async () => {
    const same = { authorization: `Bearer ${client.token}` };
    (await openSocket(connectURL, same)).close(1000);
    const { status, body } = await refuse(`/connect?token=${client.token}&apiKey=other`);
    expect(status).toBe(400);
    expect(body).not.toContain(client.token);
  });

  it("ends its sessions when it is deleted", async () => {
    const created = await client.post("/org/api_keys", { name: "leaked" });
    const { id: keyId, key } = created.read(createdAPIKeySchema);
    const listener = new Listener(await openSocket(`${ORIGIN}/connect?token=${key}`));
    await client.delete(`/org/api_keys/${keyId}`);
    expect((await listener.closed).code).toBe(1001);
    expect((await refuse(`/connect?token=${key}`)).status).toBe(401);
    await expect.poll(activeSessions).toEqual([]);
  });

  it("does not redirect a browser's address to the documentation", async () => {
    expect((await anonymous.get(`/?token=${client.token}`)).status).toBe(426);
    expect((await anonymous.get(`/connect?token=${client.token}`)).status).toBe(426);
    expect((await anonymous.get("/")).headers.get("location")).toBe("/docs/");
    expect((await anonymous.get("/?utm=x")).headers.get("location")).toBe("/docs/");
  });
});

describe("a web page of any origin", () => {
  const headers = { origin: "https://elsewhere.test" };

  it("connects with the key", async () => {
    (await openSocket(connectURL, headers)).close(1000);
  });

  it.each([
    [{ ...headers }, ""],
    [{ "sec-fetch-mode": "websocket" }, "?token=unknown"],
  ])("is told by the close reason that it may not: %j", async (sent, query) => {
    const { code, reason } = await new Listener(await openSocket(`${ORIGIN}/connect${query}`, sent)).closed;
    expect([code, reason]).toEqual([4401, expect.stringMatching(/key/)]);
  });

  it("is told what is wrong with its URL", async () => {
    const { code, reason } = await new Listener(await openSocket(`${connectURL}&timeout=x`, headers)).closed;
    expect([code, reason]).toEqual([4400, "timeout: must be a number"]);
  });

  it("counts as a failed authentication", async () => {
    const address = { ...headers, "cf-connecting-ip": "192.0.2.77" };
    const codes: number[] = [];
    for (let attempt = 0; attempt < 100 && !codes.includes(4429); attempt += 1) {
      codes.push((await new Listener(await openSocket(`${ORIGIN}/connect`, address)).closed).code);
    }
    expect(codes).toContain(4429);
  });
});

describe('viewport_mode "any"', () => {
  const size = { width: 1280, height: 720 };

  it("allows sizes that are not supported otherwise, within bounds", async () => {
    expect((await client.post("/browsers", { viewport: size })).invalidFields).toEqual(["viewport"]);
    const session = await client.createSession({ viewport: size, viewport_mode: "any" });
    expect(session.viewport).toEqual({ ...size, refresh_rate: 25 });
    for (const viewport of [
      { ...size, width: 100 },
      { ...size, height: 5000 },
      { ...size, refresh_rate: 0 },
    ]) {
      const refused = await client.post("/browsers", { viewport, viewport_mode: "any" });
      expect(refused.invalidFields).toEqual(["viewport"]);
    }
  });
});

it("keys are not stored with what is recorded about sessions", async () => {
  const socket = await openSocket(`${connectURL}&session=recorded`);
  const { session_id: id } = (await client.get("/browsers/recorded")).read(sessionSchema);
  socket.close(1000);
  await requireEnd(id);
  const events = await client.get(`/browsers/${id}/telemetry/events`);
  expect(events.text).toContain('"connect"');
  expect(events.text).not.toContain(client.token);
  const row = await env.DB.prepare("SELECT * FROM browser_sessions WHERE id = ?").bind(id).first();
  expect(JSON.stringify(row)).not.toContain(client.token);
});
