import { once } from "node:events";
import { createServer } from "node:http";
import Kernel from "@onkernel/sdk";
import type { Page } from "@playwright/test";
import { expect, serviceURL, test } from "./fixtures.ts";

/** The open dialog. */
function dialogOf(page: Page) {
  return page.getByRole("dialog");
}

test("API keys are created, shown once, rotated and deleted", async ({ signedIn: page }) => {
  await page.goto("/console/api-keys");
  await page.getByRole("button", { name: "New API key" }).click();
  await dialogOf(page).getByLabel("Name").fill("ci");
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
  await expect(page.getByText("No key matches")).toBeVisible();
});

test("webhooks are created, tested, changed and deleted", async ({ signedIn: page }) => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.url ?? "");
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    await page.goto("/console/webhooks");
    await expect(page.getByText("No webhooks yet")).toBeVisible();
    await page.getByRole("button", { name: "New webhook" }).click();
    await dialogOf(page).getByLabel("URL").fill("not a URL");
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await expect(dialogOf(page).getByLabel("URL")).toBeFocused();
    await dialogOf(page).getByLabel("URL").fill(`http://127.0.0.1:${port}/hook`);
    await dialogOf(page)
      .getByLabel(/^session.ended/)
      .check();
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await expect(dialogOf(page).locator("pre")).toContainText("whsec_");
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: /\/hook/ }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByRole("row", { name: /webhook.test/ })).toContainText("Delivered");
    expect(received).toEqual(["/hook"]);

    await page.getByRole("button", { name: "Change" }).click();
    await dialogOf(page).getByLabel("Enabled").uncheck();
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: "Send a test" })).toBeDisabled();

    await page.getByRole("button", { name: "Delete" }).click();
    await dialogOf(page).getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(/\/console\/webhooks$/);
    await expect(page.getByText("No webhooks yet")).toBeVisible();
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("limits, use and what is not there are shown", async ({ kernel, signedIn: page }) => {
  const { session_id: id } = await kernel.browsers.create({ headless: true });
  await page.goto("/console/usage");
  await expect(page.locator(".meter", { hasText: "Sessions" })).toContainText("1 of 100");
  await page.goto("/console/audit");
  await expect(page.getByText(/no audit log/i)).toBeVisible();
  await kernel.browsers.deleteByID(id);
});
