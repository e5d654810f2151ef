import { readSecrets } from "../conformance/service-client.ts";
import { expect, signIn, test } from "./fixtures.ts";

test("two people see what the other does", async ({ browser, kernel, organization, signedIn: page }) => {
  const otherContext = await browser.newContext();
  try {
    await signIn(otherContext, organization.apiKey);
    const other = await otherContext.newPage();
    await Promise.all([page.goto("/console/sessions"), other.goto("/console/sessions")]);
    const { session_id: id } = await kernel.browsers.create({ name: "shared" });
    const [row, otherRow] = [page, other].map((each) => each.getByRole("link", { name: "shared" }));
    await expect(row ?? page.locator("never")).toBeVisible();
    await expect(otherRow ?? other.locator("never")).toBeVisible();

    await otherRow?.click();
    await expect(other.getByRole("heading", { name: "shared" })).toBeVisible();
    // Both end it; the second finds that it has ended.
    await other.getByRole("button", { name: "End session" }).click();
    await kernel.browsers.deleteByID(id);
    await other.getByRole("dialog").getByRole("button", { name: "End session" }).click();
    await expect(other.getByText("Deleted", { exact: true }).first()).toBeVisible();
    await expect(row ?? page.locator("never")).toHaveCount(0);
  } finally {
    await otherContext.close();
  }
});

test("two operators change one organization", async ({ browser, organization, operatorPage: page }) => {
  const otherContext = await browser.newContext();
  try {
    await signIn(otherContext, readSecrets().ADMIN_TOKEN);
    const other = await otherContext.newPage();
    const path = `/console/organizations/${organization.id}`;
    await Promise.all([page.goto(path), other.goto(path)]);
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await expect(page.locator(".badge", { hasText: "Disabled" })).toBeVisible();
    await other.reload();
    await expect(other.locator(".badge", { hasText: "Disabled" })).toBeVisible();
    await other.getByRole("button", { name: "Enable" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
    await expect(other.locator(".badge", { hasText: "Disabled" })).toHaveCount(0);
    // Signing out of one leaves the other signed in.
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.reload();
    await expect(page.locator(".badge", { hasText: "Disabled" })).toHaveCount(0);
  } finally {
    await otherContext.close();
  }
});
