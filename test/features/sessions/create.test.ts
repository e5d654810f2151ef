import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newClient, ORIGIN, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { runInSession } from "../../objects.ts";
import { readLaunchedBrowsers, readSessionRow, readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();

const DEFAULTS = {
  headless: false,
  stealth: false,
  kiosk_mode: false,
  timeout_seconds: 60,
  viewport: { width: 1920, height: 1080, refresh_rate: 25 },
  telemetry: null,
  record: false,
  machine: "simulated",
  tags: {},
  activity: { clients: 0, viewers: 0, idle_since: expect.any(String), ends_at: expect.any(String) },
};

describe("POST /browsers", () => {
  it("returns a session with the defaults", async () => {
    const client = await newClient();
    const before = Date.now();
    const session = await client.createSession({});
    const { session_id, created_at, cdp_ws_url, webdriver_ws_url, browser_live_view_url, api_key, ...rest } =
      session;
    expect(rest).toEqual(DEFAULTS);
    expect(api_key?.id).toBe(client.keyId);
    expect(session_id).toMatch(/^[0-9a-z]{24}$/);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(cdp_ws_url).toMatch(
      new RegExp(`^${ORIGIN.replace("http", "ws")}/cdp/${session_id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`),
    );
    expect(webdriver_ws_url).toContain(`${ORIGIN.replace("http", "ws")}/webdriver/${session_id}?jwt=`);
    expect(browser_live_view_url).toMatch(
      new RegExp(`^${ORIGIN}/live/${session_id}\\?jwt=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`),
    );
  });

  it("stores and returns every given field", async () => {
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

  it("connects clients once the page shows something", async () => {
    const client = await newClient();
    browsers.areSlow = true;
    const { session_id, cdp_ws_url } = await client.createSession();
    let isConnected = false;
    const connected = openSocket(cdp_ws_url).then((socket) => {
      isConnected = true;
      return socket;
    });
    // A client that did not wait would be connected before these requests complete.
    const { pathname, search } = new URL(cdp_ws_url);
    for (let request = 0; request < 3; request += 1) {
      expect((await client.get(`${pathname}/json/version${search}`)).status).toBe(200);
    }
    expect(isConnected).toBe(false);
    await runInSession(session_id, () => browsers.browser(browsers.launched.at(-1) ?? "").show());
    (await connected).close();
  });

  it("launches one browser and records it as its own", async () => {
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

  it("opens one page with the start URL", async () => {
    const client = await newClient();
    const sent = (method: string) => browsers.commands.filter((command) => command.method === method);
    const openedBefore = sent("Target.createTarget").length;
    await client.createSession();
    const navigatedBefore = sent("Page.navigate").length;
    await client.createSession({ start_url: "https://example.com" });
    await expect.poll(() => sent("Page.navigate").length).toBe(navigatedBefore + 1);
    expect(sent("Page.navigate").at(-1)?.params).toEqual({ url: "https://example.com" });
    // Fake browsers start without a page.
    expect(sent("Target.createTarget")).toHaveLength(openedBefore + 2);
  });

  it.each([
    ["nothing at all", {}],
    ["nothing, as JSON", { headers: { "content-type": "application/json" } }],
    ["white space", { text: "  \n", headers: { "content-type": "application/json" } }],
    ["nothing, as text", { headers: { "content-type": "text/plain" } }],
    ["an empty object", { body: {} }],
    ["JSON with a charset", { text: "{}", headers: { "content-type": "application/json; charset=utf-8" } }],
    ["only unknown fields", { body: { gpu: true, colour: "red" } }],
    ["no extensions", { body: { extensions: [] } }],
  ])("uses the defaults for %s", async (_, options) => {
    const client = await newClient();
    const response = await client.call("POST", "/browsers", options);
    expect(response.status, response.text).toBe(200);
    expect(response.json).toMatchObject(DEFAULTS);
  });

  it("fills in the refresh rate of a viewport", async () => {
    const client = await newClient();
    const { viewport } = await client.createSession({ viewport: { width: 1200, height: 800 } });
    expect(viewport).toEqual({ width: 1200, height: 800, refresh_rate: 60 });
  });

  it("allows the name of an ended session or of another organization's", async () => {
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

  it("gives a name to one of several concurrent requests", async () => {
    const client = await newClient();
    const launchedBefore = browsers.launched.length;
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => client.post("/browsers", { name: "the-one" })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(browsers.launched).toHaveLength(launchedBefore + 1);
    expect(await readSessionRows(client.organizationId)).toHaveLength(1);
  });

  it("builds URLs on PUBLIC_URL when it is set", async () => {
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
