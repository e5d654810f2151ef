import type { Page } from "@playwright/test";
import { dialogOf, expect, test } from "./fixtures.ts";

function field(page: Page) {
  return page.getByRole("combobox", { name: /^Page, session/ });
}

test("the palette goes to pages, sessions, pools and actions by keyboard, recent ones first", async ({
  kernel,
  signedIn: page,
}) => {
  const session = await kernel.browsers.create({ name: "checkout", headless: true });
  await kernel.browserPools.create({ name: "warm", size: 1 });
  await page.goto("/console");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  const option = page.getByRole("option");
  const selected = page.getByRole("option", { selected: true });

  await page.keyboard.press("ControlOrMeta+k");
  await expect(field(page)).toBeFocused();
  await expect(option.first()).toHaveText(/Overview/);
  await page.keyboard.type("check");
  await expect(selected).toHaveText(/checkout\s*Session/);
  await expect(field(page)).toHaveAttribute(
    "aria-activedescendant",
    (await selected.getAttribute("id")) ?? "",
  );
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "checkout" })).toBeVisible();

  await page.getByRole("heading", { name: "checkout" }).focus();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(option.first()).toHaveText(/checkout\s*Recent/);
  await page.keyboard.press("ArrowDown");
  await expect(selected).toHaveText(/Overview/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(selected).toHaveText(/New invocation/);
  await field(page).fill(session.session_id);
  await expect(option).toHaveText([/checkout/]);
  await field(page).fill("warm");
  await expect(selected).toHaveText(/warm\s*Pool/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "warm" })).toBeVisible();

  await page.getByRole("button", { name: /Go to/ }).click();
  await field(page).fill("nothing of that name");
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.keyboard.press("Enter");
  await field(page).fill("new session");
  await option.first().click();
  await expect(page).toHaveURL(/\/console\/sessions\/new/);
  await expect(dialogOf(page)).toHaveCount(0);
});

test("keys search and explain themselves, but not while somebody types", async ({
  kernel,
  signedIn: page,
}) => {
  const { session_id } = await kernel.browsers.create({ name: "typed" });
  await page.goto("/console/sessions");
  await expect(page.getByRole("row", { name: /typed/ })).toBeVisible();
  await page.keyboard.press("?");
  await expect(dialogOf(page).getByRole("heading", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(dialogOf(page)).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(dialogOf(page)).toHaveCount(0);

  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("a?/");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("searchbox")).toHaveValue("a?/");
  await expect(dialogOf(page)).toHaveCount(0);

  await page.goto(`/console/sessions/${session_id}?tab=terminal`);
  const terminal = page.locator(".terminal input");
  await terminal.fill("ls ");
  await page.keyboard.type("/?");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(terminal).toBeFocused();
  await page.locator("iframe.live-view").focus();
  await page.keyboard.press("?");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(dialogOf(page)).toHaveCount(0);
});
