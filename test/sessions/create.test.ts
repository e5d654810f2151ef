import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished } from "vitest";
import { newClient, ORIGIN, openSocket } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { inside } from "../objects.ts";
import { readLaunchedBrowsers, readSessionRow, readSessionRows } from "../records.ts";

const browsers = useFakeBrowsers();

const DEFAULTS = {
  headless: false,
  stealth: false,
  kiosk_mode: false,
  timeout_seconds: 60,
  viewport: { width: 1920, height: 1080, refresh_rate: 25 },
  tags: {},
};

describe("POST /browsers", () => {
  it("answers with a session of all defaults", async () => {
    const client = await newClient();
    const before = Date.now();
    const session = await client.createSession({});
    const { session_id, created_at, cdp_ws_url, browser_live_view_url, ...rest } = session;
    expect(rest).toEqual(DEFAULTS);
    expect(session_id).toMatch(/^[0-9a-z]{24}$/);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(cdp_ws_url).toMatch(
      new RegExp(`^${ORIGIN.replace("http", "ws")}/cdp/${session_id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`),
    );
    expect(browser_live_view_url).toMatch(
      new RegExp(`^${ORIGIN}/live/${session_id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`),
    );
  });

  it("keeps and answers with every field that is given", async () => {
    const client = await newClient();
    const given = {
      headless: true,
      stealth: true,
      kiosk_mode: true,
      timeout_seconds: 259_200,
      viewport: { width: 1024, height: 768, refresh_rate: 60 },
      name: "My.session_1-a",
      tags: { team: "backend", "a b": "" },
      start_url: "https://example.com/path?query",
      persistence: { id: "any text / at all" },
    };
    const session = await client.createSession(given);
    expect(session).toMatchObject(given);
    expect(session).not.toHaveProperty("browser_live_view_url");
    expect((await client.get(`/browsers/${session.session_id}`)).json).toMatchObject(given);
  });

  it("connects clients when the browser's page shows something", async () => {
    const client = await newClient();
    browsers.areSlow = true;
    onTestFinished(() => {
      browsers.areSlow = false;
    });
    const { session_id, cdp_ws_url } = await client.createSession();
    let isConnected = false;
    const connected = openSocket(cdp_ws_url).then((socket) => {
      isConnected = true;
      return socket;
    });
    // What a client that need not wait has long before this is through.
    const { pathname, search } = new URL(cdp_ws_url);
    for (let call = 0; call < 3; call += 1) {
      expect((await client.get(`${pathname}/json/version${search}`)).status).toBe(200);
    }
    expect(isConnected).toBe(false);
    await inside(session_id, () => browsers.browser(browsers.launched.at(-1) ?? "").show());
    (await connected).close();
  });

  it("launches one browser with the longest keep-alive and notes it as its own", async () => {
    const client = await newClient();
    const launchedBefore = browsers.launched.length;
    const { session_id } = await client.createSession();
    expect(browsers.launched).toHaveLength(launchedBefore + 1);
    expect(await readLaunchedBrowsers()).toContainEqual({
      browserId: browsers.launched.at(-1),
      sessionId: session_id,
      launchedAt: expect.any(Number),
    });
    expect(await readSessionRow(session_id)).toMatchObject({
      state: "active",
      deletedAt: null,
      endReason: null,
    });
  });

  it("opens one page, and the start URL in it", async () => {
    const client = await newClient();
    const sent = (method: string) => browsers.commands.filter((command) => command.method === method);
    const openedBefore = sent("Target.createTarget").length;
    await client.createSession();
    const navigatedBefore = sent("Page.navigate").length;
    await client.createSession({ start_url: "https://example.com" });
    await expect.poll(() => sent("Page.navigate").length).toBe(navigatedBefore + 1);
    expect(sent("Page.navigate").at(-1)?.params).toEqual({ url: "https://example.com" });
    // A fake browser has no page at first.
    expect(sent("Target.createTarget")).toHaveLength(openedBefore + 2);
  });

  it.each([
    ["nothing at all", {}],
    ["nothing, as JSON", { headers: { "content-type": "application/json" } }],
    ["white space", { text: "  \n", headers: { "content-type": "application/json" } }],
    ["nothing, as text", { headers: { "content-type": "text/plain" } }],
    ["an empty object", { body: {} }],
    ["JSON with a charset", { text: "{}", headers: { "content-type": "application/json; charset=utf-8" } }],
    ["only unknown fields", { body: { gpu: true, telemetry: { enabled: true } } }],
    ["no extensions", { body: { extensions: [] } }],
  ])("takes %s for the defaults", async (_, options) => {
    const client = await newClient();
    const answer = await client.call("POST", "/browsers", options);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject(DEFAULTS);
  });

  it("keeps the session when its caller names no viewport rate", async () => {
    const client = await newClient();
    const { viewport } = await client.createSession({ viewport: { width: 1200, height: 800 } });
    expect(viewport).toEqual({ width: 1200, height: 800, refresh_rate: 60 });
  });

  it("lets another session have the name of one that ended, and of another organization's", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const first = await client.createSession({ name: "worker" });
    await other.createSession({ name: "worker" });
    const taken = await client.post("/browsers", { name: "worker" });
    expect(taken.status).toBe(409);
    expect(taken.headers.get("x-should-retry")).toBe("false");
    expect(taken.error).toMatchObject({ code: "conflict", message: expect.stringContaining("worker") });
    expect((await client.delete(`/browsers/${first.session_id}`)).status).toBe(204);
    const second = await client.createSession({ name: "worker" });
    expect(second.session_id).not.toBe(first.session_id);
    expect(await readSessionRows(client.organizationId)).toHaveLength(2);
  });

  it("gives a name to exactly one of two calls at once", async () => {
    const client = await newClient();
    const launchedBefore = browsers.launched.length;
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post("/browsers", { name: "the-one" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(browsers.launched).toHaveLength(launchedBefore + 1);
    expect(await readSessionRows(client.organizationId)).toHaveLength(1);
  });

  it("builds its addresses on PUBLIC_URL when that is set", async () => {
    const client = await newClient();
    env.PUBLIC_URL = "https://public.example/";
    try {
      const { cdp_ws_url, browser_live_view_url } = await client.createSession();
      expect(cdp_ws_url).toMatch(/^wss:\/\/public\.example\/cdp\//);
      expect(browser_live_view_url).toMatch(/^https:\/\/public\.example\/live\//);
    } finally {
      env.PUBLIC_URL = "";
    }
  });
});
