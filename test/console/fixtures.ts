import Kernel from "@onkernel/sdk";
import { type BrowserContext, test as base, type Page } from "@playwright/test";
import { createOrganization, type Organization, readSecrets } from "../conformance/service-client.ts";

export { expect } from "@playwright/test";

const SECRET = "0123456789abcdef0123456789abcdef";

export const CONSOLE_HEADERS = { "x-berth-console": "1", "x-berth-console-secret": SECRET };

/** Settings of a session that records what its pages do. */
export const TELEMETRY = {
  browser: { console: { enabled: true }, network: { enabled: true }, page: { enabled: true } },
};

export function serviceURL(): string {
  const url = process.env.SERVICE_URL;
  if (url === undefined) throw new Error("The global setup has started no service");
  return url;
}

interface Fixtures {
  /** A new organization, which ends with the test. */
  organization: Organization;
  /** A client of the API with the organization's key. */
  kernel: Kernel;
  /** What the console must not do: log errors, or send requests to other hosts. Checked after the test. */
  problems: string[];
  /** A page that is signed in with the organization's key. */
  signedIn: Page;
  /** A page that is signed in with ADMIN_TOKEN. */
  operatorPage: Page;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  baseURL: async ({}, use) => use(serviceURL()),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  organization: async ({}, use) => {
    const organization = await createOrganization(serviceURL());
    await use(organization);
    await changeByOperator(`/admin/organizations/${organization.id}`);
  },
  kernel: async ({ organization }, use) => {
    await use(
      new Kernel({ baseURL: serviceURL(), apiKey: organization.apiKey, maxRetries: 0, logLevel: "off" }),
    );
  },
  problems: [
    async ({ context }, use) => {
      const problems: string[] = [];
      context.on("page", (page) => recordProblems(page, problems));
      await use(problems);
      base.expect(problems).toEqual([]);
    },
    { auto: true },
  ],
  signedIn: async ({ context, organization, problems: _ }, use) => {
    await signIn(context, organization.apiKey);
    await use(await context.newPage());
  },
  operatorPage: async ({ context, problems: _ }, use) => {
    await signIn(context, readSecrets().ADMIN_TOKEN);
    await use(await context.newPage());
  },
});

/** Signs the context's pages in, without the form. */
export async function signIn(context: BrowserContext, key: string, url = serviceURL()): Promise<void> {
  await context.addInitScript((secret) => {
    if (location.pathname.startsWith("/console")) localStorage.setItem("berth-console-secret", secret);
  }, SECRET);
  const answer = await context.request.post(`${url}/console/session`, {
    headers: CONSOLE_HEADERS,
    data: { key },
  });
  if (!answer.ok()) throw new Error(`Could not sign in: ${await answer.text()}`);
}

/** The open dialog. */
export function dialogOf(page: Page) {
  return page.getByRole("dialog");
}

function recordProblems(page: Page, problems: string[]): void {
  const isConsole = () => page.url().startsWith(`${serviceURL()}/console`);
  page.on("console", (message) => {
    // The browser logs every error response, and views show those.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (isConsole() && message.type() === "error" && !isAnswer) problems.push(message.text());
  });
  page.on("pageerror", ({ message }) => {
    if (isConsole()) problems.push(message);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    const isOutside = ["http:", "https:"].includes(protocol) && origin !== serviceURL();
    if (isConsole() && isOutside && !request.isNavigationRequest()) problems.push(`request to ${origin}`);
  });
}

/** Sends a change, or by default deletes. */
export async function changeByOperator(path: string, body?: object, method = "PATCH"): Promise<void> {
  const answer = await fetch(serviceURL() + path, {
    method: body === undefined ? "DELETE" : method,
    headers: { authorization: `Bearer ${readSecrets().ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The operator's call failed: ${await answer.text()}`);
}
