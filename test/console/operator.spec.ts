import Kernel from "@onkernel/sdk";
import { changeByOperator, dialogOf, expect, serviceURL, test } from "./fixtures.ts";

test("the operator creates, limits, disables and deletes an organization", async ({ operatorPage: page }) => {
  const name = `made in the console ${Date.now()}`;
  await page.goto("/console");
  await page.getByRole("button", { name: "New organization" }).click();
  await dialogOf(page).getByLabel("Name", { exact: true }).fill(name);
  await dialogOf(page).getByLabel("Maximum sessions").fill("7");
  await dialogOf(page).getByRole("button", { name: "Create" }).click();
  const apiKey = (await dialogOf(page).locator("pre").textContent()) ?? "";
  const kernel = new Kernel({ baseURL: serviceURL(), apiKey, maxRetries: 0, logLevel: "off" });
  expect((await kernel.organization.limits.retrieve()).max_concurrent_sessions).toBe(7);
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name }).click();
  await expect(page.locator(".meter", { hasText: "Sessions" })).toContainText("0 of 7");
  await page.getByRole("button", { name: "Change" }).click();
  await dialogOf(page).getByLabel("Maximum sessions").fill("8");
  await dialogOf(page).getByLabel("Hard budget").fill("12.5");
  await dialogOf(page).getByLabel("Weight").fill("3");
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".meter", { hasText: "Sessions" })).toContainText("0 of 8");
  await expect(page.locator(".facts > div", { hasText: "Weight" })).toContainText("3");
  await expect(page.locator(".meter", { hasText: "This month" })).toContainText("of $12.50");

  await page.getByRole("button", { name: "Disable" }).click();
  await dialogOf(page).getByRole("button", { name: "Disable" }).click();
  await expect(page.locator(".badge", { hasText: "Disabled" })).toBeVisible();
  await expect(kernel.browsers.list()).rejects.toThrow("403");

  await page.getByRole("button", { name: "Delete" }).click();
  await dialogOf(page)
    .getByLabel(/to confirm/)
    .fill("another name");
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await expect(dialogOf(page).getByRole("alert")).toContainText("does not match");
  await dialogOf(page)
    .getByLabel(/to confirm/)
    .fill(name);
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "Organizations" })).toBeVisible();
  await expect(page.getByRole("link", { name })).toHaveCount(0);
});

test("the operator sees and ends sessions, without their URLs", async ({
  kernel,
  organization,
  operatorPage: page,
}) => {
  const session = await kernel.browsers.create({ name: "of-a-tenant" });
  await page.goto(`/console/all-sessions?organization=${organization.id}`);
  const row = page.getByRole("row", { name: /of-a-tenant/ });
  await expect(row).toContainText("test organization");
  expect(await page.content()).not.toContain("jwt=");
  await page.goto("/console/browsers");
  await expect(page.getByText(session.session_id).first()).toBeVisible();
  await page.goto(`/console/all-sessions?organization=${organization.id}`);
  await row.getByRole("button", { name: /End/ }).click();
  await dialogOf(page).getByRole("button", { name: "End" }).click();
  await expect(row).toHaveCount(0);
  await page.getByLabel("Status").selectOption("Ended");
  await expect(row).toContainText("by the operator");
});

test("the operator sees the settings, and of secrets only whether they are set", async ({
  operatorPage: page,
}) => {
  await page.goto("/console/settings");
  await expect(page.getByRole("row", { name: /ALLOW_\s*PRIVATE_\s*ADDRESSES/ })).toContainText("Changed");
  await page.getByRole("searchbox").fill("standby_idle");
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByText("TOKEN_SECRET", { exact: true })).toBeVisible();
});

test("the operator sees what the platform supports", async ({ operatorPage: page }) => {
  const finding = { outcome: "differs", seen: "<b>a token</b> was found", duration_ms: 12 };
  await changeByOperator("/admin/capabilities/log_search", finding, "PUT");
  await page.goto("/console/capabilities");
  const row = page.getByRole("row", { name: /log_search/ });
  await expect(row).toContainText("Differs");
  await expect(row).toContainText("<b>a token</b> was found");
  await expect(page.getByRole("row", { name: /large_profile/ })).toContainText(
    "Refused if it differs: profile",
  );
  await expect(page.locator("pre")).toContainText(`npm run probe -- --remote ${serviceURL()}`);
});

test("the operator sees what each organization uses", async ({
  kernel,
  organization,
  operatorPage: page,
}) => {
  const { session_id } = await kernel.browsers.create({ headless: true });
  await kernel.browsers.deleteByID(session_id);
  await page.goto("/console/usage");
  const link = page.locator(`a[href="/console/organizations/${organization.id}"]`);
  await expect(page.getByRole("row").filter({ has: link })).toContainText("test organization");
  await page.getByLabel("By").selectOption("Day");
  await expect(link).toHaveCount(0);
});
