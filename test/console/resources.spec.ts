import { toFile } from "@onkernel/sdk";
import { chromium, type Page } from "@playwright/test";
import { startProxyServer } from "../conformance/proxy-server.ts";
import { openSite } from "../conformance/site.ts";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { dialogOf, expect, test } from "./fixtures.ts";

async function deleteIt(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
}

test("pools are created, changed and deleted", async ({ kernel, signedIn: page }) => {
  await page.goto("/console/pools");
  await page.getByRole("link", { name: "New pool" }).first().click();
  await page.getByLabel("Name").fill("warm");
  await page.getByLabel("Size").fill("0");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByLabel("Size")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Size").fill("1");
  await page.getByText("Advanced options").click();
  await page.getByLabel("Headless").check();
  await page.getByLabel("Region").selectOption("Oceania");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { name: "warm" })).toBeVisible();
  await expect(page.locator(".facts > div", { hasText: "Region" })).toContainText("Oceania");
  await expect(page.locator(".facts > div", { hasText: "Machine" })).toContainText("Simulated");
  await expect(page.getByText("1 browser is ready")).toBeVisible();
  await expect(page.locator(".code-block pre")).toContainText('kernel.browserPools.acquire("warm", {})');
  await page.getByRole("button", { name: "Acquire" }).click();
  await expect(page).toHaveURL(/\/console\/sessions\/[a-z0-9]{24}$/);
  const [session] = (await kernel.browsers.list()).items;
  expect(page.url()).toContain(session?.session_id);
  await page.goBack();
  await expect(
    page.getByRole("row", { name: new RegExp(session?.session_id.slice(0, 8) ?? "") }),
  ).toBeVisible();

  await page.getByRole("button", { name: "Edit" }).click();
  await expect(dialogOf(page).getByLabel("Headless")).toBeVisible();
  await expect(dialogOf(page).getByLabel("Machine")).toHaveValue("simulated");
  await dialogOf(page).getByLabel("Start URL").fill("example.com");
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("https://example.com")).toBeVisible();
  await deleteIt(page);
  await expect(page.getByText("No pools yet")).toBeVisible();
});

test("a profile shows what it holds, and values only when asked", async ({ kernel, signedIn: page }) => {
  await using site = await openSite();
  await page.goto("/console/profiles");
  await page.getByRole("button", { name: "New profile" }).first().click();
  await dialogOf(page).getByLabel("Name").fill("shop");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { name: "shop" })).toBeVisible();

  const session = await kernel.browsers.create({ profile: { name: "shop", save_changes: true } });
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  const remote = browser.contexts()[0]?.pages()[0];
  await remote?.goto(site.origin);
  const expires = Date.now() / 1000 + 86_400;
  await remote?.context().addCookies([{ name: "basket", value: "three apples", url: site.origin, expires }]);
  await remote?.evaluate(() => localStorage.setItem("theme", "dark blue"));
  await browser.close();
  await kernel.browsers.deleteByID(session.session_id);

  await page.reload();
  await expect(page.getByRole("row", { name: /basket/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /theme/ })).toBeVisible();
  expect(await page.content()).not.toMatch(/three apples|dark blue/);
  await page.getByRole("button", { name: "Show values" }).click();
  await dialogOf(page).getByRole("button", { name: /Show/ }).click();
  await expect(page.getByText("three apples")).toBeVisible();

  await page.getByRole("button", { name: "Rename" }).click();
  await dialogOf(page).getByLabel("Name").fill("shop-2");
  await dialogOf(page).getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { name: "shop-2" })).toBeVisible();
  await deleteIt(page);
  await expect(page.getByText("No profiles yet")).toBeVisible();
});

test("a proxy is checked when it is created, and again", async ({ signedIn: page }) => {
  await using proxy = await startProxyServer();
  await page.goto("/console/proxies/new");
  await page.getByLabel("Name", { exact: true }).fill("office");
  await page.getByLabel("Host", { exact: true }).fill("127.0.0.1");
  await page.getByLabel("Port").fill("99999");
  await page.getByRole("button", { name: "Create and check" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("Port").fill(String(proxy.port));
  await page.getByRole("button", { name: "Create and check" }).click();
  await expect(page.getByRole("heading", { name: "office" })).toBeVisible();
  const checks = page.getByRole("table", { name: "Latest checks" }).getByRole("row");
  await expect(checks).toHaveCount(2);
  await page.getByRole("button", { name: "Check now" }).click();
  await expect(checks).toHaveCount(3);
  await deleteIt(page);
  await expect(page.getByText("No proxies yet")).toBeVisible();
});

test("an extension is uploaded and deleted", async ({ signedIn: page }) => {
  await page.goto("/console/extensions");
  await page.getByRole("button", { name: "Upload", exact: true }).first().click();
  await dialogOf(page).getByRole("button", { name: "Upload" }).click();
  await expect(dialogOf(page).getByText("is required").first()).toBeVisible();
  const manifest = {
    manifest_version: 3,
    name: "Tags",
    version: "1",
    background: { service_worker: "b.js" },
  };
  const files = [
    { name: "manifest.json", content: JSON.stringify(manifest) },
    { name: "b.js", content: "" },
  ];
  await dialogOf(page)
    .locator("input[type=file]")
    .setInputFiles({
      name: "tags.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(buildZip(files)),
    });
  await dialogOf(page).getByLabel("Name").fill("tags");
  await dialogOf(page).getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("heading", { name: "tags" })).toBeVisible();
  await expect(page.getByText(/background/).first()).toBeVisible();
  await deleteIt(page);
  await expect(page.getByText("No extensions yet")).toBeVisible();
});

test("recordings of all sessions are listed, played and downloaded", async ({ kernel, signedIn: page }) => {
  const session = await kernel.browsers.create({ name: "filmed" });
  const id = session.session_id;
  const { replay_id } = await kernel.browsers.replays.start(id);
  await page.goto("/console");
  await page.getByRole("link", { name: "Recordings", exact: true }).click();
  const row = page.getByRole("row", { name: /filmed/ });
  await expect(row).toContainText("Recording");
  await expect(row.getByRole("link", { name: /^Play/ })).toHaveCount(0);
  await kernel.browsers.replays.stop(replay_id, { id });
  await page.reload();
  await expect(row).toContainText("Complete");
  await expect(row).toContainText(/\d [KM]iB/);

  const opened = page.waitForEvent("popup");
  await row.getByRole("link", { name: "Play the recording of filmed" }).click();
  await expect((await opened).locator("video")).toBeVisible();
  const download = page.waitForEvent("download");
  await row.getByRole("link", { name: "Download the recording of filmed" }).click();
  expect((await download).suggestedFilename()).toBe(`${replay_id}.mp4`);
  await row.getByRole("link", { name: "filmed", exact: true }).click();
  await expect(page.getByRole("heading", { name: "filmed" })).toBeVisible();
});

const APP = `
  import Kernel, { type KernelContext } from "@onkernel/sdk";
  const app = new Kernel().app("greeter");
  app.action("greet", async (_context: KernelContext, payload?: { name?: string }) => {
    console.log("greeting", payload?.name);
    return { greeting: "Hello, " + payload?.name };
  });
`;

test("an app is deployed from a zip, invoked with JSON and stopped", async ({ signedIn: page }) => {
  await page.goto("/console/deployments");
  await page.getByRole("button", { name: "Deploy", exact: true }).first().click();
  await dialogOf(page)
    .locator("input[type=file]")
    .setInputFiles({
      name: "app.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(buildZip([{ name: "index.ts", content: APP }])),
    });
  await dialogOf(page).getByRole("button", { name: "Deploy" }).click();
  await expect(page.getByRole("heading", { name: "greeter", level: 1 })).toBeVisible();
  await expect(page.getByText("Running", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: /greet$/ }).click();
  await page.getByLabel("Payload").fill("{ name: }");
  await page.getByRole("button", { name: "Invoke" }).click();
  await expect(page.getByLabel("Payload")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Payload").fill(JSON.stringify({ name: "it's me" }));
  await expect(page.locator(".code-block pre")).toContainText("greeter");
  await page.getByRole("button", { name: "Invoke" }).click();
  await expect(page.getByText("Hello, it's me")).toBeVisible();
  await expect(page.getByText(/greeting it's me/)).toBeVisible();
  await page.goto("/console/invocations");
  await expect(page.getByRole("row", { name: /greet/ })).toContainText("Succeeded");

  await page.goto("/console/apps");
  await expect(page.getByRole("row", { name: /greeter/ })).toBeVisible();
  await page.goto("/console/deployments");
  await page
    .getByRole("row", { name: /greeter/ })
    .getByRole("link")
    .first()
    .click();
  await page.getByRole("button", { name: "Stop" }).click();
  await dialogOf(page).getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("Stopped", { exact: true })).toBeVisible();
});

test("a deployment that failed is listed by its entry point", async ({ kernel, signedIn: page }) => {
  const zip = buildZip([{ name: "main.ts", content: "this is no program" }]);
  const file = await toFile(zip, "app.zip");
  const { id } = await kernel.deployments.create({ file, entrypoint_rel_path: "main.ts" });
  await page.goto("/console/deployments");
  await expect(page.getByRole("row", { name: "main.ts" })).toContainText("Failed");
  await page.getByRole("link", { name: "main.ts", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(id));
  await expect(page.getByRole("heading", { name: "main.ts", level: 1 })).toBeVisible();
});
