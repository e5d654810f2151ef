import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { readSecrets } from "../conformance/service-client.ts";
import { openSite } from "../conformance/site.ts";
import { Demo } from "./demo.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { LAPTOP } from "./playwright.config.ts";
import { operatorViews, organizationViews, type View } from "./views.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const PHONE = { width: 390, height: 844 };

/** A folder for a screenshot of each view, on request. The documentation shows those in docs/console. */
const PICTURES = process.env.CONSOLE_PICTURES;

const LOOKS = [
  { size: "laptop", viewport: LAPTOP, colorScheme: "light", isTested: true },
  { size: "phone", viewport: PHONE, colorScheme: "dark", isTested: true },
  { size: "laptop", viewport: LAPTOP, colorScheme: "dark", isTested: false },
  { size: "phone", viewport: PHONE, colorScheme: "light", isTested: false },
] as const;

for (const { size, viewport, colorScheme, isTested } of LOOKS) {
  if (!isTested && PICTURES === undefined) continue;
  test.describe(`every view on a ${size} in the ${colorScheme} look`, () => {
    // The accessibility checker runs as an inline script.
    test.use({ viewport, colorScheme, bypassCSP: true });

    test("is accessible, fits the screen and logs no error", async ({ context, organization, kernel }) => {
      test.setTimeout(240_000);
      await using site = await openSite();
      await using demo = await Demo.create(kernel, site);
      const found: Record<string, string[]> = {};
      const visit = async (views: readonly View[]) => {
        const page = await context.newPage();
        for (const view of views) {
          const problems = await check(page, view);
          if (problems.length > 0) found[view.name] = problems;
          if (PICTURES !== undefined) await takePicture(page, `${view.name}-${size}-${colorScheme}`);
        }
        await page.close();
      };
      await signIn(context, organization.apiKey);
      await visit(organizationViews(demo));
      await signIn(context, readSecrets().ADMIN_TOKEN);
      await visit(operatorViews(organization.id));
      await context.clearCookies();
      await visit([{ name: "sign-in", path: "/console", shows: "Sign in to the console" }]);
      expect(found).toEqual({});
    });
  });
}

/** @returns what is wrong with a view. */
async function check(page: Page, { path, shows, open }: View): Promise<string[]> {
  await page.goto(path);
  await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
  await expect(page.getByText("Loading…")).toHaveCount(0);
  if (open !== undefined) {
    await open(page);
    await expect(page.getByRole("dialog")).toBeVisible();
  }
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    );
  });
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  return isTooWide ? [...violations, "wider than the screen"] : violations;
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.jpg`), type: "jpeg", quality: 60 });
}
