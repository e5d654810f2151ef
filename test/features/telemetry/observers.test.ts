import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { SessionBody } from "../../../src/features/sessions/session-schema.ts";
import { numberedEventSchema } from "../../../src/features/telemetry/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";

type Event = z.infer<typeof numberedEventSchema>["event"];

const ALL = {
  enabled: true,
  browser: Object.fromEntries(
    ["console", "network", "page", "interaction", "screenshot"].map((name) => [name, { enabled: true }]),
  ),
};

describe("the events of a real Chromium", () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  async function open(telemetry?: object) {
    const session = await client.createSession({ telemetry, timeout_seconds: 600 });
    const devTools = await DevTools.connect(session.cdp_ws_url);
    await devTools.openPage();
    return { session, devTools, id: session.session_id };
  }

  async function readEvents(session: SessionBody): Promise<Event[]> {
    const response = await client.get(`/browsers/${session.session_id}/telemetry/events?limit=1000`);
    return response.read(numberedEventSchema.array()).map(({ event }) => event);
  }

  async function waitFor(session: SessionBody, type: string, data: object = {}): Promise<Event> {
    const matching = async () => (await readEvents(session)).filter((event) => event.type === type);
    await expect
      .poll(matching)
      .toContainEqual(expect.objectContaining({ data: expect.objectContaining(data) }));
    const found = (await matching()).find((event) => {
      try {
        expect(event.data).toMatchObject(data);
        return true;
      } catch {
        return false;
      }
    });
    if (found === undefined) throw new Error(`There is no ${type}`);
    return found;
  }

  describe("by default", () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => client.delete(`/browsers/${opened.id}`));

    it("include navigations, errors and dialogs, but no other messages", async () => {
      const { session, devTools } = opened;
      await devTools.navigate("data:text/html,<title>next</title>");
      await waitFor(session, "page_navigation", { url: "data:text/html,<title>next</title>" });
      await devTools.evaluate(`console.log("quiet"); console.error("loud", { a: 1 }, [2]); 0`);
      await devTools.evaluate(`setTimeout(() => { throw new TypeError("boom https://e.com/?token=x") }); 0`);
      const error = await waitFor(session, "console_error", { level: "error" });
      expect(error).toMatchObject({
        category: "console",
        source: { kind: "cdp", event: "Runtime.consoleAPICalled" },
        data: {
          text: "loud",
          args: ["loud", "{a: 1}", "[2]"],
          stack_trace: { callFrames: expect.any(Array) },
        },
      });
      const uncaught = await waitFor(session, "console_error", { line: expect.any(Number) });
      expect(uncaught.data?.text).toBe("Uncaught TypeError: boom https://e.com/?token=[redacted]");
      expect((await readEvents(session)).map(({ type }) => type)).not.toContain("console_log");
      await devTools.evaluate(`setTimeout(() => alert("stop")); 0`);
      await waitFor(session, "page_dialog", { kind: "alert", message: "stop" });
    });
  });

  describe("when everything is recorded", () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open(ALL);
    });
    afterAll(() => client.delete(`/browsers/${opened.id}`));

    it("include messages with all arguments, even hostile ones", async () => {
      const { session, devTools } = opened;
      await devTools.evaluate(`
        const hostile = { get secret() { globalThis.wasRead = true; return 1 }, ["x".repeat(100_000)]: "\\ud800" };
        Object.defineProperty(hostile, "__proto__", { value: 1, enumerable: true });
        console.info("named", hostile, NaN, null, undefined, 10n, Symbol("s"), new Error("e"), () => 1, "y".repeat(100_000));
        0`);
      const { data } = await waitFor(session, "console_log", { text: "named" });
      expect(data?.level).toBe("info");
      expect(JSON.stringify(data).length).toBeLessThan(64 * 1024);
      expect(await devTools.evaluate("globalThis.wasRead ?? false")).toBe(false);
    });

    it("include loading, layout and screenshots", async () => {
      const { session, devTools } = opened;
      await devTools.navigate("data:text/html,<h1>A large heading</h1>");
      for (const type of [
        "page_dom_content_loaded",
        "page_load",
        "page_tab_opened",
        "page_lcp",
        "page_layout_settled",
        "page_navigation_settled",
      ]) {
        await waitFor(session, type);
      }
      const { data } = await waitFor(session, "monitor_screenshot");
      expect(String(data?.png)).toMatch(/^iVBORw0KGgo/);
    });

    it("include requests without secrets, their responses and failures", async () => {
      const { session, devTools } = opened;
      await devTools.evaluate(
        `fetch("http://127.0.0.1:1/a?token=abc&x=1", { headers: { "x-api-key": "k" } }).catch(() => 0); 0`,
      );
      const { data } = await waitFor(session, "network_request", { method: "GET", resource_type: "Fetch" });
      expect(data?.url).toBe("http://127.0.0.1:1/a?token=[redacted]&x=1");
      await waitFor(session, "network_loading_failed", { request_id: data?.request_id });
      await waitFor(session, "network_idle");
    });

    it("include clicks and keys, except those of secret fields", async () => {
      const { session, devTools } = opened;
      await devTools.evaluate(`
        document.body.innerHTML = '<button id="buy">Buy now</button><input id="name"><input id="p" type="password">';
        const field = document.getElementById("p"); field.focus(); field.type = "text"; field.value = ""; 0`);
      const path = `/browsers/${opened.id}/computer`;
      const press = async (id: string, key: string) => {
        await devTools.evaluate(`document.getElementById("${id}").focus(); 0`);
        await client.post(`${path}/press_key`, { keys: [key] });
      };
      await press("name", "a");
      await waitFor(session, "interaction_key", { key: "a", selector: "#name" });
      await devTools.evaluate(`document.getElementById("p").type = "password"; 0`);
      await press("p", "b");
      await devTools.evaluate(`document.getElementById("p").type = "text"; 0`);
      await press("p", "c");
      await press("name", "d");
      await waitFor(session, "interaction_key", { key: "d" });
      const keys = (await readEvents(session)).filter(({ type }) => type === "interaction_key");
      expect(keys.map(({ data }) => data?.key)).toEqual(["a", "d"]);
      const [x, y] = JSON.parse(
        String(
          await devTools.evaluate(
            `const r = buy.getBoundingClientRect(); JSON.stringify([r.x + 9, r.y + 9])`,
          ),
        ),
      );
      await client.post(`${path}/click_mouse`, { x: Math.round(x), y: Math.round(y) });
      expect((await waitFor(session, "interaction_click")).data).toMatchObject({
        selector: "#buy",
        tag: "BUTTON",
        text: "Buy now",
      });
    });

    it("are dropped and counted when a page floods them", async () => {
      const { session, devTools } = opened;
      await devTools.evaluate(`for (let i = 0; i < 5000; i++) console.log(i); 0`);
      const { data } = await waitFor(session, "monitor_events_dropped", { what: "console" });
      expect(data?.count).toBeGreaterThan(500);
      const numbers = (await readEvents(session)).filter(({ data }) => /^\d+$/.test(String(data?.text)));
      expect(numbers.length).toBeLessThanOrEqual(200);
      await expect
        .poll(async () => {
          await devTools.evaluate(`console.log("after the flood"); 0`);
          return (await readEvents(session)).some(({ data }) => data?.text === "after the flood");
        })
        .toBe(true);
    });

    it("end when the session is told to record less", async () => {
      const { session, devTools } = opened;
      await client.patch(`/browsers/${opened.id}`, { telemetry: { enabled: false } });
      await devTools.evaluate(`console.error("unheard"); 0`);
      await client.patch(`/browsers/${opened.id}`, {
        telemetry: { browser: { console: { enabled: true } } },
      });
      await expect
        .poll(async () => {
          await devTools.evaluate(`console.log("heard"); 0`);
          return (await readEvents(session)).some(({ data }) => data?.text === "heard");
        })
        .toBe(true);
      expect((await readEvents(session)).some(({ data }) => data?.text === "unheard")).toBe(false);
    });
  });
});
