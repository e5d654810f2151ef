import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SessionBrowser } from "../../../src/features/sessions/connections/browser.ts";
import { ConnectionScope } from "../../../src/features/sessions/connections/scope.ts";
import { toSessionStart } from "../../../src/features/sessions/row.ts";
import { SessionState } from "../../../src/features/sessions/state.ts";
import { acquireBrowser } from "../../../src/platform/browser/connection/binding.ts";
import { type Refusal, useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, runInSession } from "../../objects.ts";
import { sessionRow } from "../../records.ts";

const browsers = useFakeBrowsers();

const SESSION = toSessionStart(sessionRow({ id: "s", organizationId: "o", timeoutSeconds: 1 }));

const outage = () => new Response("no", { status: 500 });

async function newSessionBrowser() {
  const browserId = await acquireBrowser(env.BROWSER, 60_000);
  const scope = await runInSession(crypto.randomUUID(), (storage) => {
    const state = new SessionState({ storage, waitUntil: () => undefined }, env);
    state.write({ ...SESSION, phase: "active", browserId });
    return new ConnectionScope(state, () => undefined);
  });
  return {
    browser: new SessionBrowser(scope, {
      onVisit: () => undefined,
      onForbidden: () => undefined,
      onDisconnected: () => undefined,
    }),
    browserId,
  };
}

describe("SessionBrowser", () => {
  it("is connected to once by concurrent requests", async () => {
    const { browser } = await newSessionBrowser();
    const [first, second] = await Promise.all([browser.connect(), browser.connect()]);
    expect(second).toBe(first);
    expect(await browser.connect()).toBe(first);
    browser.disconnect();
  });

  it("is alive while it responds, also over a new connection", async () => {
    const { browser } = await newSessionBrowser();
    expect(await browser.check()).toBe("alive");
    browser.disconnect();
    expect(await browser.check()).toBe("alive");
    browser.disconnect();
  });

  it("is silent, not lost, during an outage of the platform", async () => {
    const { browser } = await newSessionBrowser();
    browsers.refusal = outage;
    expect(await browser.check()).toBe("silent");
    browsers.refusal = undefined;
    expect(await browser.check()).toBe("alive");
    browser.disconnect();
  });

  it("is lost when unknown to the platform for 15 seconds", async () => {
    const { browser, browserId } = await newSessionBrowser();
    browsers.kill(browserId);
    expect(await browser.check()).toBe("silent");
    advanceTime(14_000);
    expect(await browser.check()).toBe("silent");
    advanceTime(1000);
    expect(await browser.check()).toBe("lost");
  });

  it("is not lost after one 404 or when missing from the list", async () => {
    const { browser } = await newSessionBrowser();
    const notFound: Refusal = () => Response.json({ error: "no such browser" }, { status: 404 });
    browsers.refusal = notFound;
    expect(await browser.check()).toBe("silent");
    advanceTime(15_000);
    browsers.refusal = ({ path }) => (path === "/v1/sessions" ? Response.json({ sessions: [] }) : undefined);
    expect(await browser.check()).toBe("alive");
    browser.disconnect();
    browsers.refusal = notFound;
    expect(await browser.check()).toBe("silent");
    browsers.refusal = undefined;
    expect(await browser.check()).toBe("alive");
    browser.disconnect();
  });

  it("is lost after five minutes without a response", async () => {
    const { browser } = await newSessionBrowser();
    browsers.refusal = outage;
    for (let check = 0; check < 20; check += 1) expect(await browser.check()).toBe("silent");
    advanceTime(5 * 60_000 - 1000);
    expect(await browser.check()).toBe("silent");
    advanceTime(1000);
    expect(await browser.check()).toBe("lost");
  });

  it("is checked once by concurrent requests", async () => {
    const { browser } = await newSessionBrowser();
    const before = browsers.commands.length;
    await Promise.all([browser.check(), browser.check(), browser.check()]);
    const pings = browsers.commands.slice(before).filter(({ method }) => method === "Browser.getVersion");
    expect(pings).toHaveLength(1);
    browser.disconnect();
  });
});
