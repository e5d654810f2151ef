import { LOCAL_API_KEY_ID } from "../../scripts/local/database.ts";
import { newSignInToken } from "../../src/features/organizations/sign-in-link.ts";
import { readSecrets } from "../conformance/service-client.ts";
import { openSite } from "../conformance/site.ts";
import { expect, serviceURL, signIn, test } from "./fixtures.ts";

test("an API key signs in, and signing out ends it", async ({ page, context, organization, kernel }) => {
  await kernel.browsers.list();
  await page.goto("/console");
  await page.getByLabel("API key").fill(organization.apiKey);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(page.getByText("test organization")).toBeVisible();

  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  expect(stored).not.toContain(organization.apiKey.slice(0, 12));
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(page.url()).not.toContain(organization.apiKey);

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to the console" })).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  await page.goto("/console/sessions");
  await expect(page.getByLabel("API key")).toBeVisible();
});

test("a link signs in once, and leaves no token behind", async ({ page, problems }) => {
  const id = crypto.randomUUID();
  const token = await newSignInToken(readSecrets().TOKEN_SECRET, { id, keyId: LOCAL_API_KEY_ID });
  const link = `/console#sign-in=${encodeURIComponent(token)}`;
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  expect(page.url()).not.toContain("#");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to the console" })).toBeVisible();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByText("The sign-in link was used before or has expired")).toBeVisible();
  await expect(page.getByLabel("API key")).toBeVisible();
  // Chrome logs each refused request as an error.
  expect(problems.splice(0).filter((problem) => !problem.includes("401"))).toEqual([]);
});

test("the sign-ins with a key are listed, and end one by one or together", async ({
  page,
  context,
  browser,
  organization,
}) => {
  await signIn(context, organization.apiKey);
  const other = await browser.newContext({ userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" });
  await signIn(other, organization.apiKey);
  const otherPage = await other.newPage();
  await otherPage.goto("/console");
  await expect(otherPage.getByRole("heading", { name: "Overview" })).toBeVisible();

  await page.goto("/console");
  await page.getByRole("button", { name: "Sign-ins" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("This one")).toHaveCount(1);
  await dialog.getByRole("button", { name: "End the sign-in of Firefox 140, Linux" }).click();
  await expect(dialog.getByRole("row")).toHaveCount(2);
  await otherPage.reload();
  await expect(otherPage.getByRole("heading", { name: "Sign in to the console" })).toBeVisible();
  await dialog.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to the console" })).toBeVisible();
  await other.close();
});

test("ADMIN_TOKEN signs in the operator", async ({ page }) => {
  await page.goto("/console");
  await page.getByLabel("API key").fill(readSecrets().ADMIN_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Organizations" })).toBeVisible();
});

test("a wrong key is refused beside the field", async ({ page }) => {
  await page.goto("/console");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("must not be empty");
  await expect(page.getByLabel("API key")).toBeFocused();
  await page.getByLabel("API key").fill("berth_unknown");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("unknown, deleted or expired");
});

test("a deep link leads to its page after the sign-in", async ({ page, organization }) => {
  await page.goto("/console/api-keys");
  await page.getByLabel("API key").fill(organization.apiKey);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "API keys" })).toBeVisible();
});

test("a deleted key signs out", async ({ page, context, kernel, signedIn }) => {
  const { id, key } = await kernel.apiKeys.create({ name: "short-lived" });
  await signedIn.close();
  await signIn(context, key);
  await page.goto("/console/api-keys");
  await expect(page.getByRole("heading", { name: "API keys" })).toBeVisible();
  await kernel.apiKeys.delete(id);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Sign in to the console" })).toBeVisible();
});

test("another site can neither use nor replace the sign-in", async ({
  context,
  signedIn,
  kernel,
  organization,
}) => {
  await signedIn.goto("/console/api-keys");
  await expect(signedIn.getByRole("heading", { name: "API keys" })).toBeVisible();
  // Only the port differs, so the browser sends the cookie.
  await using site = await openSite();
  const attacker = await context.newPage();
  await attacker.goto(site.origin);
  const origin = new URL(signedIn.url()).origin;
  const outcomes = await attacker.evaluate(
    async ({ origin, key }) => {
      const outcome = async (path: string, init: RequestInit) => {
        const answer = await fetch(origin + path, { ...init, credentials: "include" }).catch(() => undefined);
        return answer === undefined ? "blocked" : `${answer.type} ${answer.status}`;
      };
      const json = { "content-type": "application/json" };
      const header = { "x-berth-console": "1" };
      const body = JSON.stringify({ name: "by the attacker" });
      return Promise.all([
        outcome("/org/api_keys", { method: "POST", headers: { ...json, ...header }, body }),
        outcome("/org/api_keys", {
          method: "POST",
          mode: "no-cors",
          headers: { "content-type": "text/plain" },
          body,
        }),
        outcome("/org/api_keys", { headers: header }),
        outcome("/console/session", { method: "POST", headers: json, body: JSON.stringify({ key }) }),
        outcome("/console/session", { method: "DELETE", headers: header }),
      ]);
    },
    { origin, key: organization.apiKey },
  );
  expect(outcomes).toEqual(["blocked", "opaque 0", "blocked", "blocked", "blocked"]);

  await attacker.setContent(
    `<form method="post" action="${origin}/org/api_keys" enctype="text/plain"><input name='{"name":"form","x":"' value='"}'></form>`,
  );
  await attacker.evaluate(() => document.forms[0]?.submit());
  await attacker.waitForURL(`${origin}/org/api_keys`);
  await expect(attacker.locator("body")).toContainText("unauthorized");

  const names = (await kernel.apiKeys.list()).items.map(({ name }) => name);
  expect(names).toEqual(["first key"]);
  await signedIn.reload();
  await expect(signedIn.getByRole("heading", { name: "API keys" })).toBeVisible();
});

test("no other site can put the console into a frame", async ({ page }) => {
  await using site = await openSite();
  await page.goto(site.origin);
  const isRefused = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
  await page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
  }, `${serviceURL()}/console`);
  await isRefused;
});
