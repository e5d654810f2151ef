import { readFileSync } from "node:fs";
import Kernel from "@onkernel/sdk";
import type { Page } from "@playwright/test";
import { serveHTTP } from "../outside/local-server.ts";
import { changeByOperator, dialogOf, expect, serviceURL, signIn, test } from "./fixtures.ts";

function projectSwitch(page: Page) {
  return page.getByRole("navigation", { name: "Console" }).getByRole("combobox", { name: "Project" });
}

test("API keys are created, shown once, rotated and deleted", async ({ signedIn: page }) => {
  await page.goto("/console/api-keys");
  await page.getByRole("button", { name: "New API key" }).click();
  await dialogOf(page).getByLabel("Name").fill("ci");
  await dialogOf(page).getByLabel("Access").selectOption("Read only");
  await dialogOf(page).getByLabel("Project").selectOption("Default");
  await dialogOf(page).getByLabel("Maximum sessions").fill("3");
  await dialogOf(page).getByLabel("Maximum calls per minute").fill("500");
  await dialogOf(page).getByLabel("Days until it expires").fill("0");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await expect(dialogOf(page).getByLabel("Days until it expires")).toHaveAttribute("aria-invalid", "true");
  await dialogOf(page).getByLabel("Days until it expires").fill("30");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  const key = (await dialogOf(page).locator("pre").textContent()) ?? "";
  const ci = new Kernel({ baseURL: serviceURL(), apiKey: key, maxRetries: 0, logLevel: "off" });
  expect((await ci.browsers.list()).items).toEqual([]);
  await page.keyboard.press("Escape");
  const row = page.getByRole("row", { name: /^ci/ });
  await expect(row).toContainText("in 29 d");
  await expect(row).toContainText("Read only in the project Default, 3 sessions, 500 calls per minute");
  await expect(ci.browsers.create()).rejects.toThrow("403");
  await expect(page.locator("body")).not.toContainText(key);

  await row.getByRole("button", { name: "Rotate the key ci" }).click();
  await dialogOf(page).getByLabel("Days until the old key stops working").fill("0");
  await dialogOf(page).getByRole("button", { name: "Rotate" }).click();
  const rotated = (await dialogOf(page).locator("pre").textContent()) ?? "";
  expect(rotated).not.toBe(key);
  await expect(ci.browsers.list()).rejects.toThrow("401");
  await page.keyboard.press("Escape");

  await expect(row).toHaveCount(2);
  await row.filter({ hasNotText: "Expired" }).getByRole("button", { name: "Delete the key ci" }).click();
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(1);
  const own = page.getByRole("row", { name: /This sign-in/ });
  await expect(own.getByRole("button", { name: /Delete/ })).toBeDisabled();

  await page.getByLabel("Status").selectOption("Deleted");
  await expect(page).toHaveURL(/status=deleted/);
  await expect(row).toContainText("Deleted");
  await page.getByRole("searchbox").fill("nothing of that name");
  await expect(page.getByText("No matching keys")).toBeVisible();
});

test("webhooks are created, tested, changed and deleted", async ({ signedIn: page }) => {
  const received: (string | string[] | undefined)[] = [];
  await using server = await serveHTTP((request, response) => {
    received.push(request.headers["webhook-id"]);
    response.end();
  });
  await page.goto("/console/webhooks");
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  await page.getByRole("button", { name: "New webhook" }).click();
  await dialogOf(page).getByLabel("URL").fill("not a URL");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await expect(dialogOf(page).getByLabel("URL")).toBeFocused();
  await dialogOf(page).getByLabel("URL").fill(`${server.origin}/hook`);
  await dialogOf(page)
    .getByLabel(/^session.ended/)
    .check();
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await expect(dialogOf(page).locator("pre")).toContainText("whsec_");
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: /\/hook/ }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  const delivery = page.getByRole("row", { name: /webhook.test/ });
  await expect(delivery).toContainText("Delivered");
  await delivery.getByRole("button", { name: "Payload" }).click();
  await expect(dialogOf(page).locator("pre")).toContainText('"type": "webhook.test"');
  await page.keyboard.press("Escape");
  await delivery.getByRole("button", { name: "Resend" }).click();
  await expect(delivery.locator("td[data-label='Attempts']")).toHaveText("2");
  expect(received).toEqual([expect.any(String), received[0]]);

  await page.getByRole("button", { name: "Change" }).click();
  await dialogOf(page).getByLabel("Enabled").uncheck();
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Send a test" })).toBeDisabled();
  await expect(delivery.getByRole("button", { name: "Resend" })).toBeDisabled();

  await page.getByRole("button", { name: "Delete" }).click();
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/console\/webhooks$/);
  await expect(page.getByText("No webhooks yet")).toBeVisible();
});

test("the cost of Linux machines is shown where there are any", async ({ signedIn: page }) => {
  await page.route("**/org/usage?*", async (route) => {
    const response = await route.fetch();
    const usage = await response.json();
    usage.total.linux_machine_seconds = 7200;
    usage.total.estimated_usd.linux_machines = 0.5;
    await route.fulfill({ response, json: usage });
  });
  await page.goto("/console/usage");
  const cost = page.getByRole("table", { name: "Estimated cost", exact: true });
  const row = cost.getByRole("row", { name: /Linux machines/ });
  await expect(row).toContainText("2 h");
  await expect(row).toContainText("By host");
  await expect(row).toContainText("$0.50");
});

test("limits, use, its cost and the budget are shown", async ({ kernel, organization, signedIn: page }) => {
  await changeByOperator(`/admin/organizations/${organization.id}`, { hard_budget_usd: 10 });
  const { session_id: id } = await kernel.browsers.create({ headless: true, tags: { team: "prices" } });
  await page.goto("/console/usage");
  await expect(page.locator(".meter", { hasText: "Sessions" })).toContainText("1 of 100");
  await expect(page.locator(".meter", { hasText: "This month" })).toContainText("of $10.00");
  await kernel.browsers.deleteByID(id);
  await page.reload();
  const use = page.getByRole("table", { name: "Usage", exact: true });
  const cost = page.getByRole("table", { name: "Estimated cost", exact: true });
  await expect(use.getByRole("row", { name: new Date().toISOString().slice(0, 10) })).toBeVisible();
  await expect(cost.getByRole("row", { name: /Browser time/ })).toContainText("$0.096 per hour");
  await expect(cost.getByRole("row", { name: /Linux machines/ })).toHaveCount(0);
  await page.getByLabel("By").selectOption("API key");
  await expect(use.getByRole("row", { name: /first key/ })).toContainText("$0.00");
  await page.getByLabel("By").selectOption("Tag");
  await expect(page).toHaveURL(/group=tag/);
  await expect(use.getByRole("row", { name: /prices/ })).toBeVisible();
  await page.getByLabel("Period").selectOption({ index: 1 });
  await expect(page.getByText("No usage")).toBeVisible();
  await expect(page.locator(".meter", { hasText: "This month" })).toHaveCount(0);
});

test("the audit log is searched, filtered, downloaded and verified", async ({
  kernel,
  organization,
  signedIn: page,
}) => {
  const headers = { authorization: `Bearer ${organization.apiKey}`, "user-agent": "an agent" };
  await fetch(`${serviceURL()}/proxies/unknown`, { method: "DELETE", headers });
  for (let calls = 0; calls < 55; calls++) await kernel.profiles.list({ limit: 1 });
  await page.goto("/console/audit?method=DELETE");
  const row = page.getByRole("row", { name: /DELETE/ });
  await expect(row.or(page.getByText("No matching calls"))).toBeVisible();
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText("an agent", { timeout: 1000 });
  }).toPass();
  await expect(row).toContainText("/proxies/:id");
  await expect(row).toContainText("404");
  await expect(row).toContainText("first key");
  await page.getByLabel("Caller").selectOption("Console");
  await expect(page.getByText("No matching calls")).toBeVisible();

  await page.goto("/console/audit?method=GET&by=api_key");
  const rows = page.getByRole("row", { name: /GET \/profiles/ });
  // The calls may have been recorded in several batches.
  await expect(async () => {
    await page.reload();
    await expect(rows).toHaveCount(50, { timeout: 1000 });
    await page.getByRole("button", { name: "Older" }).click();
    await expect(rows).toHaveCount(5, { timeout: 1000 });
  }).toPass();
  await page.getByRole("button", { name: "Newest" }).click();
  await expect(rows).toHaveCount(50);
  await page.getByRole("searchbox").fill("FIRST K");
  await expect(page).toHaveURL(/q=FIRST/);
  await expect(rows).toHaveCount(50);
  await page.getByRole("searchbox").fill("nothing of that name");
  await expect(page.getByText("No matching calls")).toBeVisible();

  await page.goto("/console/audit?method=GET&by=console_session");
  const reads = page.getByRole("row", { name: /GET \/audit-logs/ });
  await expect(page.getByText("No matching calls")).toBeVisible();
  await page.getByLabel("Console's reads").selectOption("Shown");
  await expect(reads.first()).toBeVisible();
  const agent = reads.first().locator("td[data-label='User agent'] > span");
  await expect(agent).toHaveText(/^Chrome \d+, Linux$/);
  await expect(agent).toHaveAttribute("title", /^Mozilla\/5\.0 /);

  await page.goto("/console/audit?by=api_key");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const lines = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\n");
  expect(lines).toHaveLength(56);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ method: "DELETE", path: "/proxies/unknown" });

  await page.getByRole("button", { name: "Verify a day" }).click();
  await dialogOf(page).getByRole("button", { name: "Verify" }).click();
  await expect(dialogOf(page).getByText("Unchanged")).toBeVisible();
  await dialogOf(page).getByLabel("Day").fill("2020-01-02");
  await dialogOf(page).getByRole("button", { name: "Verify" }).click();
  await expect(dialogOf(page).getByText("Nothing was recorded")).toBeVisible();
});

test("the console shows one project at a time", async ({ kernel, signedIn: page, context }) => {
  await kernel.browsers.create({ name: "of-default", headless: true });
  await page.goto("/console/projects");
  await page.getByRole("button", { name: "New project" }).click();
  await dialogOf(page).getByLabel("Name").fill("Default");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await expect(dialogOf(page).getByRole("alert")).toBeVisible();
  await dialogOf(page).getByLabel("Name").fill("staging");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Limits" }).click();
  await dialogOf(page).getByLabel("Maximum browsers").fill("2");
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".facts > div", { hasText: "Maximum browsers" })).toContainText("2");
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";

  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page.getByRole("link", { name: "of-default" })).toBeVisible();
  await projectSwitch(page).selectOption("staging");
  await expect(page.getByText("No active sessions")).toBeVisible();
  const staging = new Kernel({
    baseURL: serviceURL(),
    apiKey: kernel.apiKey,
    projectID: id,
    logLevel: "off",
  });
  // The list's stream also has the project.
  const session = await staging.browsers.create({ name: "of-staging", headless: true });
  await page.getByRole("link", { name: "of-staging" }).click();
  await expect(page.getByRole("heading", { name: "of-staging" })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`project=${id}`));
  await page.reload();
  await expect(page.getByRole("heading", { name: "of-staging" })).toBeVisible();
  const otherTab = context.waitForEvent("page");
  await page.getByRole("link", { name: "Pools" }).click({ modifiers: ["ControlOrMeta"] });
  await expect((await otherTab).getByText("· staging ·")).toBeVisible();
  await page.goto(`/console/sessions/new?project=${id}`);
  await expect(page.locator(".code-block pre")).toContainText(`projectID: "${id}"`);

  await staging.browsers.deleteByID(session.session_id);
  await page.goto(`/console/projects/${id}?project=${id}`);
  await page.getByRole("button", { name: "Rename" }).click();
  await dialogOf(page).getByLabel("Name").fill("stage");
  await dialogOf(page).getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { name: "stage", exact: true })).toBeVisible();
  await kernel.projects.update(id, { status: "archived" });
  await page.getByRole("link", { name: "Profiles" }).click();
  await expect(page.getByText("The project was archived or deleted")).toBeVisible();
  await expect(page).not.toHaveURL(/project=/);
  await expect(page.getByText("No profiles yet")).toBeVisible();

  await page.goto(`/console/projects/${id}`);
  await page.getByRole("button", { name: "Restore" }).click();
  await dialogOf(page).getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Switch to this project" }).click();
  await expect(page).toHaveURL(new RegExp(`project=${id}`));
  await page.getByRole("link", { name: "stage" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("link", { name: "stage" })).toHaveCount(0);
  await expect(page).not.toHaveURL(/project=/);
});

test("the key of a project sees only this project", async ({ kernel, page, context }) => {
  const project = await kernel.projects.create({ name: "only-one" });
  const { key } = await kernel.apiKeys.create({ name: "of-a-project", project_id: project.id });
  await signIn(context, key);
  await page.goto("/console");
  await expect(page.getByText("only-one")).toBeVisible();
  await expect(projectSwitch(page)).toHaveCount(0);
  await page.goto("/console/audit");
  await expect(page.getByRole("alert")).toContainText("only within its project");
});
