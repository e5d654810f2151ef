import { toFile } from "@onkernel/sdk";
import { chromium } from "@playwright/test";
import { deployApp, invoke } from "../conformance/apps.ts";
import { openSite } from "../conformance/site.ts";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { expect, test } from "./fixtures.ts";

const FAILING_APP = `app.action("fail", async (_context: KernelContext) => {
  throw new Error("The shop did not answer");
});`;

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
  await expect(page.getByLabel("Stealth")).toBeHidden();
  await page.getByText("Advanced options").click();
  await page.getByLabel("Stealth").check();
  await page.getByLabel("Region").selectOption("Western Europe");
  await page.getByLabel("Machine").selectOption("Simulated");
  await page.getByLabel("Start URL").fill("example.com");
  await expect(page.getByLabel(/^Save changes/)).toHaveCount(0);
  await page.getByLabel("Profile", { exact: true }).selectOption("shop-login");
  await page.getByLabel(/^Save changes/).check();
  const code = page.locator(".code-block pre");
  await expect(code).toContainText(`name: "from-the-form"`);
  await expect(code).toContainText("stealth: true");
  await expect(code).toContainText("save_changes: true");
  await expect(code).toContainText('machine: "simulated"');
  await page.getByRole("tab", { name: "curl" }).click();
  await expect(code).toContainText("Bearer $KERNEL_API_KEY");
  await page.getByRole("tab", { name: "Connect URL" }).click();
  await expect(code).toContainText(/^ws:\/\/.*\/connect\?/);
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/console\/sessions\/[a-z0-9]{24}$/);
  await page.getByRole("tab", { name: "Details" }).click();
  await expect(page.locator(".facts > div", { hasText: "Region" })).toContainText("Western Europe");
  await expect(page.locator(".facts > div", { hasText: "Machine" })).toContainText("Simulated");
  const session = await kernel.browsers.retrieve("from-the-form");
  expect(session).toMatchObject({
    stealth: true,
    region: "weur",
    start_url: "https://example.com",
    tags: { team: "it's" },
    profile: { name: "shop-login" },
  });
});

test("a Linux machine is refused where nothing offers one", async ({ signedIn: page }) => {
  await page.goto("/console/sessions/new?machine=linux");
  await expect(page.getByLabel("Machine")).toHaveValue("linux");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByLabel("Machine")).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator(".field-problem")).toContainText("linux needs a session host");
});

test("advanced options open by themselves if one is set or refused", async ({ signedIn: page }) => {
  const option = page.getByLabel("Headless");
  await page.goto("/console/sessions/new?stealth=on");
  await expect(page.getByLabel("Stealth")).toBeChecked();
  await expect(option).toBeVisible();
  await option.check();
  await page.getByLabel("Record").check();
  await page.getByText("Advanced options").click();
  await expect(option).toBeHidden();
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByLabel("Record")).toBeFocused();
  await expect(page.getByLabel("Record")).toHaveAttribute("aria-invalid", "true");
  await page.goto("/console/sessions/new");
  await expect(page.getByLabel("Start URL")).toBeVisible();
  await expect(option).toBeHidden();
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
  await expect(page.locator(".overview-card", { hasText: "Cost this month" })).toContainText(
    /\$0\.\d+ today/,
  );
  await expect(page.getByText("Nothing failed in the last 24 hours")).toBeVisible();
  const chart = page.getByRole("figure", { name: "Sessions created" });
  await expect(chart.locator(".axis.is-values")).toHaveText("10");
  await expect(chart.locator(".axis.is-bars span")).toHaveCount(3);
  await expect(chart.getByRole("row")).toHaveCount(24);
  await expect(chart.getByRole("row").last()).toContainText("1");
  await page.getByRole("link", { name: "counted", exact: true }).click();
  await expect(page.getByRole("heading", { name: "counted" })).toBeVisible();
});

test("the overview names what failed, with links", async ({ kernel, signedIn: page }) => {
  const app = await deployApp(kernel, FAILING_APP);
  await invoke(kernel, app, "fail");
  const file = await toFile(buildZip([{ name: "broken.ts", content: "const = 1;" }]), "app.zip");
  const { id } = await kernel.deployments.create({ file, entrypoint_rel_path: "broken.ts" });
  await expect.poll(async () => (await kernel.deployments.retrieve(id)).status).toBe("failed");
  const url = "http://127.0.0.1:9/hook";
  const webhook = await kernel.post<{ id: string }>("/org/webhooks", { body: { url } });
  await kernel.browsers.create({ headless: true });
  // Its pending deliveries fail.
  await kernel.patch(`/org/webhooks/${webhook.id}`, { body: { enabled: false } });
  await page.goto("/console");
  const failures = page.locator(".section", { hasText: "Recent failures" });
  await expect(failures.getByRole("link", { name: "Deployments: 1" })).toBeVisible();
  await expect(failures.getByRole("link", { name: /^Webhooks: \d/ })).toBeVisible();
  await expect(failures.getByRole("link", { name: "App runs: 1" })).toHaveAttribute("href", /status=failed/);
  await expect(failures.getByRole("listitem").filter({ hasText: "broken.ts" })).toContainText("Deployment");
  await expect(failures.getByRole("link", { name: url })).toHaveAttribute("href", /\/webhooks\/\w+/);
  await expect(failures).toContainText("The shop did not answer");
  await failures.getByRole("link", { name: `${app.name} · fail` }).click();
  await expect(page.getByText("The shop did not answer").first()).toBeVisible();
});

test.describe("agents that wait for a person", () => {
  test("are on the overview, in the navigation and in the list until they are handed back", async ({
    kernel,
    signedIn: page,
  }) => {
    const { session_id } = await kernel.browsers.create({ name: "checkout" });
    const handoffs = `/browsers/${session_id}/handoffs`;
    const body = { instructions: "Please enter the 2FA code", expires_in_seconds: 3600 };
    const { handoff_id } = await kernel.post<{ handoff_id: string }>(handoffs, { body });
    await page.goto("/console");
    const card = page.locator(".waiting");
    await expect(card).toContainText("1 agent is waiting for you");
    await expect(card).toContainText("“Please enter the 2FA code”");
    await expect(card).toContainText(/checkout, 59 min \d+ s left/);
    await card.getByRole("button", { name: "Copy link" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain(`/live/${session_id}?jwt=`);
    const inNavigation = page.getByRole("link", { name: "Overview 1 waiting for you" });
    await expect(inNavigation).toBeVisible();
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await expect(page.getByRole("row", { name: /checkout/ })).toContainText("Waiting for you");
    await inNavigation.click();

    const taken = page.waitForEvent("popup");
    await card.getByRole("link", { name: "Take over" }).click();
    const person = await taken;
    await person.getByRole("button", { name: "Done" }).click();
    await expect
      .poll(() => kernel.get(`${handoffs}/${handoff_id}?wait_seconds=0`))
      .toMatchObject({ status: "done" });
    await expect(card).toHaveCount(0);
    await expect(inNavigation).toHaveCount(0);
  });

  test("cause notifications once the person allows them, and not before", async ({
    context,
    kernel,
    signedIn: page,
  }) => {
    await context.addInitScript(() => {
      const log: string[] = [];
      class FakeNotification {
        static permission = "default";
        static async requestPermission() {
          log.push("asked");
          FakeNotification.permission = "granted";
          return "granted";
        }
        readonly #body: string;
        constructor(title: string, { body }: { body: string }) {
          this.#body = body;
          log.push(`${title}: ${body}`);
        }
        close() {
          log.push(`closed: ${this.#body}`);
        }
      }
      Object.assign(window, { Notification: FakeNotification, notificationLog: log });
    });
    const read = () => page.evaluate<string[]>("notificationLog");
    const { session_id } = await kernel.browsers.create();
    const handoffs = `/browsers/${session_id}/handoffs`;
    const ask = (instructions: string) =>
      kernel.post<{ handoff_id: string }>(handoffs, { body: { instructions } });
    await ask("Log in");
    await page.goto("/console");
    await expect(page.locator(".waiting")).toContainText("Log in");
    expect(await read()).toEqual([]);
    await page.getByRole("button", { name: "Notify me of new ones" }).click();
    await expect(page.getByRole("button", { name: "Notify me of new ones" })).toHaveCount(0);
    const { handoff_id } = await ask("Solve it");
    await expect.poll(read).toEqual(["asked", "An agent is waiting for you: Solve it"]);
    await kernel.delete(`${handoffs}/${handoff_id}`);
    await expect.poll(read).toContain("closed: Solve it");
  });
});

test("live pictures are in the list and the grid, only while they are on the screen", async ({
  kernel,
  signedIn: page,
}) => {
  await using site = await openSite();
  const names = ["first", "second", "third"];
  for (const name of names) await kernel.browsers.create({ name, start_url: site.origin });
  const asked: string[] = [];
  page.on("request", (request) => {
    const [, id] = /browsers\/(\w+)\/thumbnail$/.exec(request.url()) ?? [];
    if (id !== undefined) asked.push(id);
  });
  const pictures = page.locator(".thumbnail img");
  await page.goto("/console");
  await expect(pictures).toHaveCount(3);
  await page.goto("/console/sessions");
  await expect(pictures).toHaveCount(3);
  const sizes = await pictures.evaluateAll((images) =>
    images.map((image) => image instanceof HTMLImageElement && image.naturalWidth),
  );
  expect(sizes).toEqual([320, 320, 320]);
  await page.getByRole("button", { name: "Grid view" }).click();
  await expect(page).toHaveURL(/view=grid/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Grid view" })).toHaveAttribute("aria-pressed", "true");
  await expect(pictures).toHaveCount(3);

  await page.setViewportSize({ width: 390, height: 380 });
  await expect(pictures).toHaveCount(1);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const last = page.getByRole("listitem").filter({ hasText: "first" });
  await expect(last.locator("img")).toBeVisible();
  await last.getByRole("link").click();
  await expect(page.getByRole("heading", { name: "first" })).toBeVisible();
  expect(new Set(asked).size).toBe(3);
});
