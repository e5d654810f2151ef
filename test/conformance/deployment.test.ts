import { describe, expect, it } from "vitest";
import { deploy, openAccount, respondAsService, secretsOf } from "../scripts/deploy/deployment.ts";
import { runScript } from "./run-script.ts";

const SECRETS = { TOKEN_SECRET: "t$HOME", ENCRYPTION_KEY: "e #1", ADMIN_TOKEN: "admin" };
const TWO_ACCOUNTS = [
  { id: "a1", name: "First" },
  { id: "a2", name: "Second" },
];
const WORKER = "berth-browser-account";

describe("npm run deploy", () => {
  it("takes secrets of the environment, as after a restore, and fails when no session starts", async () => {
    await using standIn = await openAccount();
    respondAsService(standIn, false);
    const { code, output } = await deploy(standIn, SECRETS);
    expect(output).toContain(
      "The secrets are those of the environment: TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN.",
    );
    expect(output).not.toContain(SECRETS.ENCRYPTION_KEY);
    expect(secretsOf(standIn)).toEqual(SECRETS);
    expect(code).toBe(1);
    expect(output).toContain("the test session failed: POST /browsers failed: 503");
    expect(standIn.requests.at(-1)).toBe("DELETE /admin/organizations/o1");
  });
});

it("reads the code of a failed trigger in wrangler's message, which is its only place", async () => {
  await using standIn = await openAccount({ maxSchedules: 0 });
  const { code, output } = await deploy(standIn, SECRETS);
  expect(code).toBe(1);
  expect(output).toContain('Trigger configuration for "berth" was only partially updated');
  expect(output).toContain("as many cron triggers as its plan allows. Remove one, or upgrade the plan.");
});

describe("npm run deploy -- --account", () => {
  it("deploys the Worker with a new token, prints what the main deployment needs, and is removed again", async () => {
    await using standIn = await openAccount({ accounts: TWO_ACCOUNTS });
    const inSecond = { CLOUDFLARE_ACCOUNT_ID: "a2" };
    const args = ["--account", "--yes"];
    const { code, output } = await deploy(standIn, inSecond, args);
    expect(code, output).toBe(0);
    expect(output).toContain("Changes to the account Second (a2):");
    const { ACCOUNT_TOKEN } = secretsOf(standIn, WORKER);
    expect(ACCOUNT_TOKEN).toMatch(/^[\w-]{43}$/);
    expect(output).toContain(
      `BROWSER_ACCOUNTS = '[{"name":"second","url":"https://${WORKER}.first.workers.dev"}]'`,
    );
    expect(output).toContain(`export ACCOUNT_TOKEN=${ACCOUNT_TOKEN}`);
    expect(standIn.state.created).toEqual([`Worker ${WORKER}`]);

    expect((await deploy(standIn, inSecond, args)).output).toContain("The token is unchanged.");
    expect(secretsOf(standIn, WORKER)).toEqual({ ACCOUNT_TOKEN });

    const BROWSER_ACCOUNTS_TOKEN = "token-of-the-main-deployment-32-bytes";
    const given = await deploy(standIn, { ...inSecond, BROWSER_ACCOUNTS_TOKEN }, args);
    expect(secretsOf(standIn, WORKER)).toEqual({ ACCOUNT_TOKEN: BROWSER_ACCOUNTS_TOKEN });
    expect(given.output).not.toContain(BROWSER_ACCOUNTS_TOKEN);

    const removed = await runScript("remove", args, { ...standIn.environment, ...inSecond });
    expect(removed.code, removed.output).toBe(0);
    expect(standIn.state.workers.size).toBe(0);
  });

  it("refuses a short token, and changes nothing without confirmation", async () => {
    await using standIn = await openAccount();
    const short = await deploy(standIn, { BROWSER_ACCOUNTS_TOKEN: "short" }, ["--account", "--yes"]);
    expect(short).toMatchObject({ code: 1, output: expect.stringContaining("less than 32 bytes") });
    expect((await deploy(standIn, {}, ["--account"])).code).toBe(1);
    expect(standIn.state.created).toEqual([]);
  });
});
