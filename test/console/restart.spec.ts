import { Service } from "../conformance/service.ts";
import { expect, signIn, test } from "./fixtures.ts";

// It has its own service, because it stops it.
test("the console survives a service that restarts under it", async ({ page, context }) => {
  test.setTimeout(240_000);
  const service = await Service.start();
  try {
    await signIn(context, service.apiKey, service.baseURL);
    await page.goto(`${service.baseURL}/console/sessions`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();

    await service.kill();
    await expect(page.getByText("Not live")).toBeVisible();
    await page.getByRole("link", { name: "API keys" }).click();
    await expect(page.getByRole("alert")).toContainText("The service is not responding");
    await page.getByRole("link", { name: "Sessions" }).click();

    await service.restart();
    await expect(page.getByText("Live", { exact: true })).toBeVisible({ timeout: 60_000 });
    const session = await service.kernel().browsers.create({ name: "after-the-restart" });
    await expect(page.getByRole("link", { name: "after-the-restart" })).toBeVisible();
    await service.kernel().browsers.deleteByID(session.session_id);
    await page.getByRole("link", { name: "API keys" }).click();
    await expect(page.getByRole("row", { name: /npm start/ })).toBeVisible();
  } finally {
    await service.end();
  }
});
