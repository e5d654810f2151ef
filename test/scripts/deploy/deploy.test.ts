import { readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/local/paths.ts";
import { type Account, FakeAccount } from "./fake-account.ts";

const EMPTY: Account = { accounts: [{ id: "a1", name: "First" }], hasR2: true, hasBrowsers: true };
const SECRETS = { TOKEN_SECRET: "t", ENCRYPTION_KEY: "e", ADMIN_TOKEN: "admin" };
const USED: Account = { ...EMPTY, database: "d1", bucket: [], secrets: SECRETS };
const CONFIG = join(ROOT, "wrangler.deployed.toml");

let fake: FakeAccount;
let requests: string[];
let canStart: boolean;

beforeEach(async () => {
  canStart = true;
  fake = await FakeAccount.open(respond);
  requests = fake.requests;
});
afterEach(async () => {
  await fake[Symbol.asyncDispose]();
  rmSync(CONFIG, { force: true });
});

function respond(route: string, request: IncomingMessage, response: ServerResponse): void {
  const isAdmin = request.headers.authorization === `Bearer ${fake.read().secrets?.ADMIN_TOKEN}`;
  const isUser = request.headers.authorization === "Bearer key";
  const send = (status: number, body?: object) => response.writeHead(status).end(JSON.stringify(body));
  if (route === "GET /health") send(200, { status: "ok" });
  else if (route === "POST /admin/organizations" && isAdmin) send(201, { id: "o1", api_key: { key: "key" } });
  else if (route === "POST /browsers" && isUser && canStart) send(200, { session_id: "s1" });
  else if (route === "POST /browsers" && isUser) send(503, { code: "browser_unavailable" });
  else if (route === "DELETE /browsers/s1" && isUser) response.writeHead(204).end();
  else if (route === "DELETE /admin/organizations/o1" && isAdmin) response.writeHead(204).end();
  else send(401, { code: "unauthorized" });
}

function deploy(account: Account, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  fake.write(account);
  return fake.run("deploy", args, environment);
}

describe("npm run deploy", () => {
  it("creates everything in an empty account and starts a session", async () => {
    const { code, output, account, commands } = await deploy(EMPTY, ["--yes"]);
    expect(code, output).toBe(0);
    expect(output).toContain("Changes to the account First (a1):");
    expect(output).toContain("create    the secrets TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN");
    expect(account).toMatchObject({ database: expect.any(String), bucket: [] });
    for (const [name, value] of Object.entries(account.secrets ?? {})) {
      expect(output).toContain(`export ${name}=${value}`);
    }
    expect(commands.slice(1).every((line) => line.startsWith("a1 "))).toBe(true);
    expect(readFileSync(CONFIG, "utf8")).toContain(`database_id = "${account.database}"`);
    expect(requests).toEqual([
      "GET /health",
      "POST /admin/organizations",
      "POST /browsers",
      "DELETE /browsers/s1",
      "DELETE /admin/organizations/o1",
    ]);
    expect(output).toMatch(/test session started in \d/);
  });

  it("keeps existing data and secrets and starts a session with the existing token", async () => {
    const environment = { ADMIN_TOKEN: "admin", ENCRYPTION_KEY: "other" };
    const { code, output, account } = await deploy(USED, ["--yes"], environment);
    expect(code, output).toBe(0);
    expect(output).toContain("keep      the D1 database berth");
    expect(account).toMatchObject({ database: "d1", secrets: SECRETS });
    expect(requests).toContain("POST /browsers");
    expect(output).not.toContain("export ");
  });

  it("announces that it takes over resources with its names", async () => {
    const { output } = await deploy({ ...EMPTY, database: "d1", bucket: ["theirs"] }, ["--yes"]);
    expect(output).toMatch(/take over {2}the D1 database berth.*take over {2}the R2 bucket berth/s);
  });

  it("changes nothing without confirmation", async () => {
    const { code, output, account } = await deploy(EMPTY, []);
    expect(code).toBe(1);
    expect(output).toContain("Pass --yes to skip the confirmation.");
    expect(account).not.toHaveProperty("database");
    expect(account).not.toHaveProperty("bucket");
  });

  it.each([
    ["is not logged in", { accounts: undefined }, /not logged in/],
    [
      "has several accounts",
      { accounts: [...(EMPTY.accounts ?? []), { id: "a2", name: "Second" }] },
      /Second/,
    ],
    ["has no R2", { hasR2: false }, /R2 is not enabled/],
    ["has no browsers", { hasBrowsers: false }, /Browser Run/],
  ])("explains what to do when the login %s", async (_, change, message) => {
    const { code, output, account } = await deploy({ ...EMPTY, ...change }, ["--yes"]);
    expect(code).toBe(1);
    expect(output).toMatch(message);
    expect(account).not.toHaveProperty("database");
  });

  it("uses the account and the new secrets of the environment", async () => {
    const accounts = [...(EMPTY.accounts ?? []), { id: "a2", name: "Second" }];
    const ENCRYPTION_KEY = "key of the backup$HOME #1";
    const environment = { CLOUDFLARE_ACCOUNT_ID: "a2", ENCRYPTION_KEY };
    const { output, account } = await deploy({ ...EMPTY, accounts }, ["--yes"], environment);
    expect(output).toContain("Changes to the account Second (a2):");
    expect(output).toContain("set       ENCRYPTION_KEY from the environment");
    expect(output).not.toContain("key of the backup");
    expect(account.secrets).toMatchObject({ ENCRYPTION_KEY });
  });

  it("says that all secrets are those of the environment, as after a restore", async () => {
    const { output, account } = await deploy(EMPTY, ["--yes"], SECRETS);
    expect(output).toContain(
      "The secrets are those of the environment: TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN.",
    );
    expect(account.secrets).toEqual(SECRETS);
  });

  it("fails when no session starts and deletes the organization", async () => {
    canStart = false;
    const { code, output } = await deploy(EMPTY, ["--yes"]);
    expect(code).toBe(1);
    expect(output).toContain("the test session failed: 503");
    expect(requests.at(-1)).toBe("DELETE /admin/organizations/o1");
  });
});

describe("npm run deploy -- --account", () => {
  it("deploys the Worker with a new token and prints what the main deployment needs", async () => {
    const { code, output, account, commands } = await deploy(EMPTY, ["--account", "--yes"]);
    expect(code, output).toBe(0);
    const token = account.browserAccount?.ACCOUNT_TOKEN;
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(output).toContain(`BROWSER_ACCOUNTS = '[{"name":"second","url":"${fake.url}"}]'`);
    expect(output).toContain(token);
    expect(account).not.toHaveProperty("database");
    expect(commands).toEqual(["whoami", "a1 browser list", "a1 secret list", "a1 deploy"]);
  });

  it("keeps an existing token, or sets the one of the main deployment", async () => {
    const before = { ...EMPTY, browserAccount: { ACCOUNT_TOKEN: "kept" } };
    expect((await deploy(before, ["--account", "--yes"])).account.browserAccount?.ACCOUNT_TOKEN).toBe("kept");
    const BROWSER_ACCOUNTS_TOKEN = "token-of-the-main-deployment-32-bytes";
    const { account, output } = await deploy(before, ["--account", "--yes"], { BROWSER_ACCOUNTS_TOKEN });
    expect(account.browserAccount?.ACCOUNT_TOKEN).toBe(BROWSER_ACCOUNTS_TOKEN);
    expect(output).not.toContain(BROWSER_ACCOUNTS_TOKEN);
  });

  it("refuses a short token, and changes nothing without confirmation", async () => {
    const short = await deploy(EMPTY, ["--account", "--yes"], { BROWSER_ACCOUNTS_TOKEN: "short" });
    expect(short).toMatchObject({ code: 1, output: expect.stringContaining("less than 32 bytes") });
    const unconfirmed = await deploy(EMPTY, ["--account"]);
    expect(unconfirmed.code).toBe(1);
    expect(unconfirmed.account).not.toHaveProperty("browserAccount");
  });

  it("is removed again", async () => {
    fake.write({ ...EMPTY, browserAccount: { ACCOUNT_TOKEN: "t" } });
    const { code, output, account } = await fake.run("remove", ["--account", "--yes"]);
    expect(code, output).toBe(0);
    expect(account).not.toHaveProperty("browserAccount");
  });
});
