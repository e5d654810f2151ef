import { describe, expect, it } from "vitest";
import { bidiPromptBehavior, promptBehavior } from "../../../src/features/webdriver/classic/capabilities.ts";
import { selectCapabilities, WebDriverError } from "../../../src/features/webdriver/index.ts";

function select(alwaysMatch: object, firstMatch?: object[]) {
  return selectCapabilities({ capabilities: { alwaysMatch, firstMatch } });
}

function refusal(alwaysMatch: object, firstMatch?: object[]): string {
  try {
    select(alwaysMatch, firstMatch);
  } catch (error) {
    if (error instanceof WebDriverError) return `${error.code}: ${error.message}`;
  }
  throw new Error("it was not refused");
}

describe("capabilities of a new session", () => {
  it("have the defaults of WebDriver", () => {
    expect(select({}).settings).toEqual({
      acceptInsecureCerts: false,
      pageLoadStrategy: "normal",
      timeouts: { script: 30_000, pageLoad: 300_000, implicit: 0 },
    });
  });

  it("are what all and the first alternative that matches ask for", () => {
    const selected = select({ acceptInsecureCerts: true, webSocketUrl: true, browserVersion: null }, [
      { browserName: "firefox", pageLoadStrategy: "none" },
      { browserName: "Chrome", pageLoadStrategy: "eager", "goog:chromeOptions": { args: ["--headless"] } },
    ]);
    expect(selected.wantsBidi).toBe(true);
    expect(selected.settings).toMatchObject({ acceptInsecureCerts: true, pageLoadStrategy: "eager" });
  });

  it("separate the key from the properties of the session", () => {
    const { apiKey, session } = select({ "berth:options": { api_key: "secret", stealth: true } });
    expect(apiKey).toBe("secret");
    expect(session).toEqual({ stealth: true });
  });

  it.each([
    [undefined, "alert", "dismiss and notify"],
    ["accept", "alert", "accept"],
    [{ alert: "accept", default: "ignore" }, "alert", "accept"],
    [{ alert: "accept", default: "ignore" }, "confirm", "ignore"],
    [{ alert: "accept" }, "prompt", "dismiss and notify"],
    ["dismiss", "beforeUnload", "accept"],
    [{ alert: "accept" }, "beforeUnload", "accept"],
    [{ default: "ignore" }, "beforeUnload", "ignore"],
  ])("with the prompt behavior %j, %s means %s", (unhandledPromptBehavior, type, behavior) => {
    const { settings } = select({ unhandledPromptBehavior });
    expect(promptBehavior(settings.unhandledPromptBehavior, type)).toBe(behavior);
  });

  it("give BiDi a prompt behavior for each type", () => {
    expect(bidiPromptBehavior(undefined)).toEqual({ default: "ignore", beforeUnload: "accept" });
    expect(bidiPromptBehavior("dismiss and notify")).toEqual({ default: "dismiss", beforeUnload: "accept" });
    expect(bidiPromptBehavior({ alert: "accept and notify" })).toEqual({ alert: "accept" });
  });

  it.each<[object, object[] | undefined, string]>([
    [{ browserName: "firefox" }, undefined, "session not created: browserName"],
    [{ platformName: "windows" }, undefined, "session not created: platformName"],
    [{ proxy: { proxyType: "manual", httpProxy: "a:1" } }, undefined, "session not created: proxy"],
    [{ unhandledPromptBehavior: { alert: "wait" } }, undefined, "invalid argument: unhandledPromptBehavior"],
    [{ pageLoadStrategy: "soon" }, undefined, "invalid argument: pageLoadStrategy"],
    [{ timeouts: { script: -1 } }, undefined, "invalid argument: timeouts.script"],
    [{ webSocketUrl: "yes" }, undefined, "invalid argument: webSocketUrl"],
    [{ "berth:options": { api_key: 1 } }, undefined, "invalid argument: berth:options.api_key"],
    [{ browserName: "chrome" }, [{ browserName: "chrome" }], "invalid argument: browserName"],
    [{}, [], "invalid argument: capabilities.firstMatch"],
  ])("refuse %j %j", (always, first, message) => {
    expect(refusal(always, first)).toContain(message);
  });
});
