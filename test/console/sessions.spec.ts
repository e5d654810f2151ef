import { chromium } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

test("the list follows live, with who uses each session", async ({ kernel, signedIn: page }) => {
  await page.goto("/console/sessions");
  await expect(page.getByText("No active sessions")).toBeVisible();
  const session = await kernel.browsers.create({ name: "live", tags: { team: "prices" } });
  const row = page.getByRole("row", { name: /live/ });
  await expect(row).toContainText("team=prices");
  await expect(row).toContainText("first key");

  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  await expect(row).toContainText("In use");
  await browser.close();
  await expect(row).not.toContainText("In use");
  await kernel.browsers.deleteByID(session.session_id);
  await expect(row).toHaveCount(0);
  await page.getByLabel("Status").selectOption("Ended");
  await expect(row).toContainText("Deleted");
  await expect(row).toContainText("just now");
  await expect(row.getByTitle(/^Deleted by API key "first key"/)).toBeVisible();
});

test("each list has only the columns that apply to it", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create({ headless: true });
  await kernel.browsers.create({ name: "running", headless: true });
  await kernel.browsers.deleteByID(session.session_id);
  const titles = () => page.getByRole("columnheader").allInnerTexts();
  const row = page.getByRole("row", { name: new RegExp(session.session_id.slice(0, 8)) });
  await page.goto("/console/sessions");
  await expect(page.getByRole("row", { name: /running/ })).toBeVisible();
  expect(await titles()).toEqual(expect.arrayContaining(["Age", "Idle time left", "Clients"]));
  expect(await titles()).not.toEqual(expect.arrayContaining(["Ended"]));
  await page.goto("/console/sessions?status=deleted");
  await expect(row).toContainText("Deleted");
  expect(await titles()).toEqual(["Session", "Ended", "Ran", "Why", "Tags", "With"]);
  await page.goto("/console/sessions?status=all");
  await expect(row).toContainText("Deleted");
  await expect(page.getByRole("row", { name: /running/ })).toContainText("Active");

  await row.getByRole("button", { name: "Copy the session id" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(session.session_id);
});

test("a click on a row opens the session, and its controls keep their own effect", async ({
  kernel,
  signedIn: page,
}) => {
  await kernel.browsers.create({ name: "clicked", headless: true });
  await page.goto("/console/sessions");
  const row = page.getByRole("row", { name: /clicked/ });
  await row.getByLabel("Select the session clicked").check();
  await row.getByRole("button", { name: "End the session clicked" }).click();
  await page.getByRole("dialog").getByRole("heading").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/console\/sessions$/);
  await row.locator("td[data-label='Age']").click();
  await expect(page.getByRole("heading", { name: "clicked" })).toBeVisible();
});

test("filters are in the address", async ({ kernel, signedIn: page }) => {
  await kernel.browsers.create({ name: "one", tags: { team: "prices" }, headless: true });
  await kernel.browsers.create({ name: "two", headless: true });
  await page.goto("/console/sessions");
  await page.getByRole("row", { name: /one/ }).getByRole("button", { name: "team=prices" }).click();
  await expect(page.getByRole("row", { name: /two/ })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("row", { name: /one/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /two/ })).toHaveCount(0);
  await page.getByRole("button", { name: /Remove the filter/ }).click();
  await expect(page.getByRole("row", { name: /two/ })).toBeVisible();
  await page.getByRole("searchbox").fill("two");
  await expect(page.getByRole("row", { name: /one/ })).toHaveCount(0);
});

test("many sessions are ended at once", async ({ kernel, signedIn: page }) => {
  await Promise.all(["a-1", "a-2", "a-3"].map((name) => kernel.browsers.create({ name, headless: true })));
  await page.goto("/console/sessions");
  await expect(page.getByRole("row", { name: /a-\d/ })).toHaveCount(3);
  await page.getByLabel("Select all on this page").check();
  await page.getByLabel("Select the session a-2").uncheck();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: /End/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
  await expect(page.getByRole("row", { name: /a-\d/ })).toHaveCount(1);
  expect((await kernel.browsers.list()).items.map(({ name }) => name)).toEqual(["a-2"]);
});

test("a form creates a session, and shows the same as code", async ({ kernel, signedIn: page }) => {
  await kernel.profiles.create({ name: "shop-login" });
  await page.goto("/console/sessions/new");
  await page.getByLabel("Name").fill("from the form");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Name").fill("from-the-form");
  await page.getByLabel("Tags").fill("team=it's");
  await page.getByLabel("Stealth").check();
  await page.getByLabel("Region").selectOption("Western Europe");
  await page.getByLabel("Start URL").fill("example.com");
  await page.getByLabel("Profile", { exact: true }).selectOption("shop-login");
  const code = page.locator(".code-block pre");
  await expect(code).toContainText(`name: "from-the-form"`);
  await expect(code).toContainText("stealth: true");
  await page.getByRole("tab", { name: "curl" }).click();
  await expect(code).toContainText("Bearer $KERNEL_API_KEY");
  await page.getByRole("tab", { name: "Connect URL" }).click();
  await expect(code).toContainText(/^ws:\/\/.*\/connect\?/);
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/console\/sessions\/[a-z0-9]{24}$/);
  await page.getByRole("tab", { name: "Details" }).click();
  await expect(page.locator(".facts > div", { hasText: "Region" })).toContainText("Western Europe");
  const session = await kernel.browsers.retrieve("from-the-form");
  expect(session).toMatchObject({
    stealth: true,
    region: "weur",
    start_url: "https://example.com",
    tags: { team: "it's" },
    profile: { name: "shop-login" },
  });
});

test("the overview shows use, and how to begin", async ({ kernel, signedIn: page }) => {
  await page.goto("/console");
  await expect(page.getByText(/first session/i)).toBeVisible();
  const code = page.locator(".code-block pre");
  await expect(code).toContainText(/connectOverCDP\(`ws:.*\$\{process\.env\.KERNEL_API_KEY\}`\)/);
  await page.getByRole("tab", { name: "Puppeteer" }).click();
  await expect(code).toContainText("puppeteer.connect");
  await page.getByRole("tab", { name: "MCP" }).click();
  await expect(code).toContainText("/mcp");
  await kernel.browsers.create({ name: "counted", headless: true });
  await page.reload();
  await expect(page.locator(".meter", { hasText: "Sessions" })).toContainText("1 of 100");
  await page.getByRole("link", { name: "counted", exact: true }).click();
  await expect(page.getByRole("heading", { name: "counted" })).toBeVisible();
});
