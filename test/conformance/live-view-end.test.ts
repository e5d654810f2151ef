import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LiveViewPage } from "./live-view-page.ts";
import { Stage } from "./live-view-scene.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({
    settings: { MAX_SESSION_SECONDS: "15", LIVE_VIEW_FRAME_ANCESTORS: "'self'" },
  });
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Longer than a session lives here. */
const END_MS = 30_000;

describe.concurrent("a service with settings of its own", () => {
  test("tells a viewer that the session's time is up", async () => {
    const session = await stage.createSession();
    const view = await LiveViewPage.visit(stage.viewers, session.browser_live_view_url ?? "");
    await view.notice.getByText("This live view has ended").waitFor({ timeout: END_MS });
    const text = await view.page.locator("#notice-text").textContent();
    expect(text).toMatch(/the session ended: .*(?:time|long)/);
    await view.close();
  });

  test("keeps pages of other origins from showing the live view", async () => {
    const session = await stage.createSession();
    const page = await stage.viewers.newPage();
    const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    const view = encodeURIComponent(session.browser_live_view_url ?? "");
    await page.goto(`${stage.site.origin}/embedding?view=${view}`);
    await refusal;
    const frame = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await frame?.locator("#page").count()).toBe(0);
    await page.close();
    await stage.kernel.browsers.deleteByID(session.session_id);
  });
});

test("a service that dies with its browsers, and is started again: the loss, then the end", async () => {
  const session = await stage.createSession();
  const view = await LiveViewPage.open(stage.viewers, session.browser_live_view_url);
  await stage.service.kill();
  await view.notice.getByText("Connection lost").waitFor();
  await stage.service.restart();
  await view.notice.getByText("This live view has ended").waitFor({ timeout: END_MS });
  expect(await view.page.locator("#notice-text").textContent()).toMatch(/ended/);
  await view.close();
});
