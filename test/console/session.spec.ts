import { readFileSync } from "node:fs";
import type Kernel from "@onkernel/sdk";
import { chromium, type Page } from "@playwright/test";
import { z } from "zod";
import { openSite } from "../conformance/site.ts";
import type { LocalServer } from "../outside/local-server.ts";
import { expect, TELEMETRY, test } from "./fixtures.ts";

/** Loads a page in a session, as a program would. */
async function drive(session: Kernel.BrowserCreateResponse, site: LocalServer): Promise<void> {
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  try {
    const page = browser.contexts()[0]?.pages()[0];
    await page?.goto(site.origin);
    await page?.evaluate(async () => {
      console.error("the price is missing");
      await (await fetch("/missing")).text();
    });
  } finally {
    await browser.close();
  }
}

async function open(page: Page, session: Kernel.BrowserCreateResponse, tab: string): Promise<void> {
  await page.goto(`/console/sessions/${session.session_id}?tab=${tab}`);
}

/** Returns the JSON that a click on a button saves. */
async function download(page: Page, button: string): Promise<unknown> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return JSON.parse(readFileSync(await file.path(), "utf8"));
}

test("a session is watched live, with its events, requests and console", async ({
  kernel,
  signedIn: page,
}) => {
  await using site = await openSite();
  const session = await kernel.browsers.create({ name: "watched", telemetry: TELEMETRY });
  await open(page, session, "timeline");
  await expect(page.getByRole("heading", { name: "watched" })).toBeVisible();
  const live = page.frameLocator("iframe[title='Live view']");
  await expect(live.getByText("Connected.")).toBeAttached();
  await expect(live.locator("canvas")).toBeVisible();

  await drive(session, site);
  const events = page.getByRole("tabpanel");
  await expect(events.getByRole("button", { name: /the price is missing/ })).toBeVisible();
  await events.getByRole("searchbox").fill("price");
  await expect(page).toHaveURL(/q=price/);
  await expect(events.getByRole("button", { name: /missing/ })).toHaveCount(1);

  await page.getByRole("tab", { name: "Network" }).click();
  const request = events.getByRole("button", { name: /404.*missing/ });
  await expect(request).toContainText("404");
  await request.click();
  await expect(events).toContainText(/user-agent/i);
  const har = z
    .object({ log: z.object({ entries: z.array(z.object({ request: z.object({ url: z.string() }) })) }) })
    .parse(await download(page, "Download HAR"));
  expect(har.log.entries.map(({ request: { url } }) => url)).toContainEqual(
    expect.stringContaining("missing"),
  );

  await page.getByRole("tab", { name: "Console" }).click();
  await events.getByRole("button", { name: /the price is missing/ }).click();
  await expect(events).toContainText(/stack/i);
  expect(JSON.stringify(await download(page, "Download"))).toContain("the price is missing");

  await page.getByRole("button", { name: "End session" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
  await expect(page.getByRole("region", { name: "End" })).toContainText('Deleted by API key "first key"');
  // A slow machine ends a session without a picture.
  const picture = page.getByRole("img", { name: "What the session showed last" });
  await expect(picture.or(page.getByText("No picture of the session"))).toBeVisible();
  await expect(events.getByRole("button", { name: /the price is missing/ })).toBeVisible();
});

test("a recording plays in place of an ended session, beside its events", async ({
  kernel,
  signedIn: page,
}) => {
  await using site = await openSite();
  const session = await kernel.browsers.create({ telemetry: TELEMETRY });
  await open(page, session, "timeline");
  await page.getByRole("button", { name: "Record", exact: true }).click();
  await expect(page.getByText("Recording", { exact: true })).toBeVisible();
  const recordedFrom = Date.now();
  await drive(session, site);
  // A recording of less than a second may have no picture, and is then no video.
  await expect.poll(() => Date.now() - recordedFrom).toBeGreaterThan(3000);
  await page.getByRole("button", { name: "Stop recording" }).click();
  await expect(page.getByRole("button", { name: "Record", exact: true })).toBeVisible();
  await kernel.browsers.deleteByID(session.session_id);

  const video = page.locator("video");
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.duration)).toBeGreaterThan(0);
  await expect(page.getByRole("link", { name: "Open the player" })).toBeVisible();
});

test("files are uploaded, downloaded and deleted, and commands run", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create();
  await open(page, session, "files");
  await expect(page.getByText("This folder is empty").or(page.getByRole("table"))).toBeVisible();
  await page.locator("input[type=file]").setInputFiles({
    name: "prices.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("a,b\n1,2\n"),
  });
  const row = page.getByRole("row", { name: /prices\.csv/ });
  await expect(row).toContainText("8 B");
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("button", { name: "Download prices.csv" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("prices.csv");

  await page.getByRole("tab", { name: "Terminal" }).click();
  const command = page.getByLabel("Command");
  await command.fill("cd /tmp && echo $((40 + 2)) in $PWD");
  await command.press("Enter");
  await expect(page.getByRole("log")).toContainText("42 in /tmp");
  await command.fill("pwd; cat ~/prices.csv; no-such-command");
  await command.press("Enter");
  await expect(page.getByRole("log")).toContainText(/\/tmp\s+a,b\s+1,2[\s\S]*not found/);
  await command.fill("sleep 600");
  await command.press("Enter");
  await command.press("ArrowUp");
  await expect(command).toHaveValue("sleep 600");
  await page.getByRole("button", { name: /^Interrupt/ }).click();

  await page.getByRole("tab", { name: "Files" }).click();
  await row.getByRole("button", { name: "Delete prices.csv" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});

test("tabs, clipboard and details", async ({ kernel, signedIn: page }) => {
  await using site = await openSite();
  const session = await kernel.browsers.create({ start_url: site.origin });
  await open(page, session, "tabs");
  const panel = page.getByRole("tabpanel");
  await expect(panel).toContainText("Home");
  await panel.getByRole("textbox").fill(`${site.origin}/popup`);
  await panel.getByRole("button", { name: /^Open/ }).click();
  await expect(panel).toContainText("Popup");
  await panel.getByRole("button", { name: /^Close.*Popup/ }).click();
  await expect(panel).not.toContainText("Popup");

  await page.getByRole("tab", { name: "Clipboard" }).click();
  await panel.getByLabel("New text").fill("copied by a person");
  await panel.getByRole("button", { name: "Write to the clipboard" }).click();
  await expect(panel.locator("pre")).toHaveText("copied by a person");

  await page.getByRole("tab", { name: "Details" }).click();
  await expect(panel).toContainText(session.session_id);
});

test("the connect tab has code with the session's own URLs, without tokens on the screen", async ({
  kernel,
  signedIn: page,
}) => {
  const session = await kernel.browsers.create({ headless: true });
  const url = `/cdp/${session.session_id}?jwt=`;
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await open(page, session, "connect");
  const panel = page.getByRole("tabpanel").first();
  const code = panel.locator("pre");
  await expect(code).toContainText("chromium.connectOverCDP");
  for (const [tool, text] of [
    ["Puppeteer", "puppeteer.connect"],
    ["Selenium", `/webdriver/${session.session_id}`],
    ["MCP", "mcpServers"],
    ["curl", "/json/list"],
  ] as const) {
    await panel.getByRole("tab", { name: tool }).click();
    await expect(code).toContainText(text);
    await expect(panel).not.toContainText(/jwt=\w/);
  }
  await panel.getByRole("button", { name: "Copy the DevTools URL" }).click();
  expect(await readClipboard()).toContain(url);

  await panel.getByRole("tab", { name: "Playwright" }).click();
  await panel.getByRole("button", { name: "Copy the code with its token" }).click();
  const [copied = ""] = /wss?:[^"]+/.exec(await readClipboard()) ?? [];
  const browser = await chromium.connectOverCDP(copied);
  expect(browser.contexts()[0]?.pages()).toHaveLength(1);
  await browser.close();
  await page.getByRole("button", { name: "Copy CDP URL" }).click();
  expect(await readClipboard()).toContain(url);
});

test("the live view fills the screen", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create();
  await open(page, session, "timeline");
  const view = page.locator("iframe[title='Live view']");
  const { width = 0 } = (await view.boundingBox()) ?? {};
  expect(width).toBeGreaterThan(0.6 * ((await page.locator(".inspector").boundingBox())?.width ?? 0));
  await page.getByRole("button", { name: "Full screen" }).click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe("IFRAME");
});

test("on a phone, the live view is as wide as the screen, and a menu has the other actions", async ({
  kernel,
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const session = await kernel.browsers.create();
  await open(page, session, "timeline");
  const view = page.locator("iframe[title='Live view']");
  await expect.poll(async () => (await view.boundingBox())?.width).toBe(390);
  const revoke = page.getByRole("button", { name: "Revoke URLs" });
  await expect(revoke).toBeHidden();
  await page.getByRole("button", { name: "More actions" }).click();
  await revoke.click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { level: 1 }).click();
  await expect(revoke).toBeHidden();
});

test("missing favicons and data: URLs are hidden, and no errors", async ({ kernel, signedIn: page }) => {
  await using site = await openSite();
  const session = await kernel.browsers.create({ telemetry: TELEMETRY });
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  const remote = browser.contexts()[0]?.pages()[0];
  await remote?.goto(site.origin);
  await remote?.evaluate(async () => {
    for (const path of ["/shop/favicon.ico", "/missing", "data:text/plain,hello"]) {
      await (await fetch(path)).text();
    }
  });
  await browser.close();
  await open(page, session, "network");
  const panel = page.getByRole("tabpanel");
  await expect(panel.getByRole("button", { name: /404.*missing/ })).toBeVisible();
  await expect(panel.getByRole("button", { name: /favicon\.ico/ })).toHaveCount(0);
  await expect(panel.getByRole("button", { name: "All errors 1" })).toBeVisible();
  await panel.getByRole("checkbox", { name: /favicons/ }).check();
  await expect(panel.getByRole("button", { name: /404.*favicon\.ico/ }).first()).toBeVisible();
  await expect(panel.getByRole("button", { name: "All errors 1" })).toBeVisible();
});

test("another session like an ended one is started", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create({
    start_url: "about:blank",
    timeout_seconds: 120,
    headless: true,
    stealth: true,
    viewport: { width: 1200, height: 800 },
    tags: { team: "prices", run: "a&b" },
  });
  await kernel.browsers.deleteByID(session.session_id);
  await open(page, session, "timeline");
  const end = page.getByRole("region", { name: "End" });
  await expect(end.getByRole("link")).toHaveAttribute("href", "/docs/troubleshooting");
  await page.getByRole("link", { name: "Start another like this" }).click();
  await expect(page.getByLabel("Start URL")).toHaveValue("about:blank");
  await expect(page.locator(".code-block pre")).toContainText("stealth: true");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/console\/sessions\/[a-z0-9]{24}$/);
  const [started] = (await kernel.browsers.list()).items;
  expect(started).toMatchObject({
    start_url: "about:blank",
    timeout_seconds: 120,
    headless: true,
    stealth: true,
    viewport: { width: 1200, height: 800 },
    tags: { team: "prices", run: "a&b" },
  });
});

test("a person is asked to take over, and the request is withdrawn", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create();
  await open(page, session, "timeline");
  await page.getByRole("button", { name: "Hand off" }).click();
  await page.getByRole("dialog").getByLabel("Instructions").fill("Log in to the shop");
  await page.getByRole("dialog").getByRole("button", { name: "Create the link" }).click();
  const handoff = page.getByRole("region", { name: "Handoff" });
  await expect(handoff).toContainText("“Log in to the shop”, 9 min");
  await expect(handoff.getByRole("link", { name: "Take over" })).toHaveAttribute("href", /^\/live\//);
  await handoff.getByRole("button", { name: "Copy link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`/live/${session.session_id}`);
  await handoff.getByRole("button", { name: "Withdraw" }).click();
  await expect(handoff).toHaveCount(0);
  expect(await kernel.get(`/browsers/${session.session_id}/handoffs`)).toMatchObject([
    { status: "withdrawn" },
  ]);
});

test("a session that never existed, and one that records little, say so", async ({
  kernel,
  signedIn: page,
}) => {
  await page.goto("/console/sessions/n0suchsess10n0000000000x");
  await expect(page.getByText("Not found", { exact: true })).toBeVisible();
  const session = await kernel.browsers.create({ headless: true });
  await open(page, session, "network");
  await expect(page.getByRole("tabpanel")).toContainText("Not recorded: network requests");
  await expect(page.getByText("Headless sessions have no live view")).toBeVisible();
});
