import { toFile } from "@onkernel/sdk";
import { chromium, type Page } from "@playwright/test";
import { openSite } from "../conformance/site.ts";
import { expect, TELEMETRY, test } from "./fixtures.ts";

const MARKUP = `<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>`;

/** Views must show the texts but not run them. */
async function expectText(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(
    page
      .getByText(MARKUP)
      .or(page.getByText(MARKUP.slice(0, 40)))
      // The options of the project switch are not.
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
}

test("texts from pages, sessions and callers are shown as text", async ({ kernel, signedIn: page }) => {
  page.on("dialog", () => {
    throw new Error("A hostile text opened a dialog");
  });
  await using site = await openSite();
  const session = await kernel.browsers.create({
    tags: { note: MARKUP },
    telemetry: TELEMETRY,
  });
  const id = session.session_id;
  await kernel.browsers.fs.writeFile(id, await toFile(Buffer.from("text")), {
    path: `/home/kernel/${MARKUP.replaceAll("/", "-")}`,
  });
  await kernel.proxies.create({ type: "isp", name: MARKUP });
  await kernel.apiKeys.create({ name: MARKUP });
  await kernel.get("/profiles", { headers: { "user-agent": MARKUP } });

  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  const remote = browser.contexts()[0]?.pages()[0];
  await remote?.goto(`${site.origin}/?${encodeURIComponent(MARKUP)}`);
  await remote?.evaluate((markup) => {
    document.title = markup;
    console.error(markup);
  }, MARKUP);

  const view = `/console/sessions/${id}`;
  await expectText(page, "/console/sessions");
  for (const tab of ["timeline", "tabs", "details"]) await expectText(page, `${view}?tab=${tab}`);
  await page.goto(`${view}?tab=files`);
  await expect(page.getByText("<img src=x").first()).toBeVisible();
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await expectText(page, "/console/proxies");
  await expectText(page, "/console/api-keys");
  await kernel.projects.create({ name: MARKUP });
  await expectText(page, "/console/projects");
  await page.goto("/console/audit?by=api_key");
  await expect(page.getByRole("cell", { name: MARKUP.slice(0, 32) }).first()).toBeVisible();
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await browser.close();

  await kernel.browsers.deleteByID(id);
  await expectText(page, view);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
});

test("links of pages lead only to web addresses", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create({ start_url: "data:text/html,<title>data</title>" });
  await page.goto(`/console/sessions/${session.session_id}?tab=tabs`);
  await expect(page.getByText("data:text/html").first()).toBeVisible();
  const addresses = await page
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const address of addresses) expect(address).toMatch(/^(\/|#|https?:)/);
});
