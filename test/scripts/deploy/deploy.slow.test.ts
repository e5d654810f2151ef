import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/local/paths.ts";
import type { AccountOptions } from "./cloudflare/state.ts";
import { UploadedService } from "./cloudflare/uploaded-service.ts";
import { deploy, openAccount, secretsOf } from "./deployment.ts";

it("creates everything in an empty account, starts a session in the uploaded bundle, and upgrades it", async () => {
  await using standIn = await openAccount();
  await using _ = new UploadedService(standIn);
  const { code, output } = await deploy(standIn);
  expect(code, output).toBe(0);
  expect(output).toContain("Changes to the account First (a1):");
  expect(output).toContain("create    the secrets TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN");
  expect(standIn.state.created).toEqual(["database berth", "bucket berth", "Worker berth"]);
  const secrets = secretsOf(standIn);
  expect(Object.keys(secrets)).toEqual(["TOKEN_SECRET", "ENCRYPTION_KEY", "ADMIN_TOKEN"]);
  for (const [name, value] of Object.entries(secrets)) expect(output).toContain(`export ${name}=${value}`);
  const config = readFileSync(join(ROOT, "wrangler.deployed.toml"), "utf8");
  expect(config).toContain(`database_id = "${standIn.state.databases.get("berth")}"`);
  expect(standIn.state.workers.get("berth")?.schedules).toEqual(["* * * * *"]);
  expect(standIn.requests.slice(-4)).toEqual([
    "POST /admin/organizations",
    "POST /browsers",
    expect.stringMatching(/^DELETE \/browsers\/\w+$/),
    expect.stringMatching(/^DELETE \/admin\/organizations\/\w+$/),
  ]);
  expect(output).toMatch(/test session started in \d/);

  const upgrade = await deploy(standIn, { ADMIN_TOKEN: secrets.ADMIN_TOKEN, ENCRYPTION_KEY: "other" });
  expect(upgrade.code, upgrade.output).toBe(0);
  expect(upgrade.output).toContain("keep      the D1 database berth");
  expect(upgrade.output).not.toContain("export ");
  expect(secretsOf(standIn)).toEqual(secrets);
  expect(standIn.state.created).toHaveLength(3);
  expect(upgrade.output).toMatch(/test session started in \d/);
});

it("has shown the secrets that are in force when a call after the upload fails", async () => {
  await using standIn = await openAccount();
  standIn.faultOf = (call) => (call === "PUT /workers/scripts/*/schedules" ? "500" : undefined);
  const { code, output } = await deploy(standIn);
  expect(code, output).toBe(1);
  expect(output).toMatch(/Uploading the Worker failed: .*run the same command again/s);
  expect(Object.keys(secretsOf(standIn))).toHaveLength(3);
  for (const [name, value] of Object.entries(secretsOf(standIn)))
    expect(output).toContain(`export ${name}=${value}`);
});

const TWO_ACCOUNTS = [
  { id: "a1", name: "First" },
  { id: "a2", name: "Second" },
];

it.concurrent.each<[string, AccountOptions, RegExp]>([
  ["has several accounts", { accounts: TWO_ACCOUNTS }, /Second.*Set CLOUDFLARE_ACCOUNT_ID/s],
  ["has no R2", { hasR2: false }, /R2 is not enabled.*to=\/:account\/r2\/overview/s],
  ["has no Browser Run", { hasBrowsers: false }, /Browser Run.*"Browser Rendering: Edit"/s],
  ["has no workers.dev subdomain", { subdomain: null }, /no workers.dev subdomain.*workers\/onboarding/s],
  [
    "has as many databases as it may",
    { maxDatabases: 0 },
    /as many D1 databases.*to=\/:account\/workers\/d1/s,
  ],
  ["lacks D1", { refused: "d1" }, /needs the permission "D1: Edit".*api-tokens/s],
  ["lacks R2", { refused: "r2" }, /needs the permission "Workers R2 Storage: Edit".*api-tokens/s],
  ["lacks Workers", { refused: "workers" }, /needs the permission "Workers Scripts: Edit".*api-tokens/s],
])("makes nothing, and says what to do, when the login %s", async (_, options, message) => {
  await using standIn = await openAccount(options);
  const { code, output } = await deploy(standIn);
  expect(code).toBe(1);
  expect(output).toMatch(message);
  expect(standIn.state.created).toEqual([]);
});

it("changes nothing without a login or a confirmation", async () => {
  await using standIn = await openAccount();
  const anonymous = { CLOUDFLARE_API_TOKEN: "", XDG_CONFIG_HOME: standIn.folder, HOME: standIn.folder };
  expect(await deploy(standIn, anonymous)).toMatchObject({
    code: 1,
    output: expect.stringContaining("You are not logged in to Cloudflare."),
  });
  await standIn.state.createDatabase("berth");
  standIn.state.createBucket("berth");
  const { code, output } = await deploy(standIn, {}, []);
  expect(code).toBe(1);
  expect(output).toMatch(/take over {2}the D1 database berth.*take over {2}the R2 bucket berth/s);
  expect(output).toContain("Pass --yes to skip the confirmation.");
  expect(standIn.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
});
