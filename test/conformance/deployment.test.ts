// One file, because all of them write wrangler.deployed.toml.
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CloudflareStandIn } from "../scripts/deploy/cloudflare/stand-in.ts";
import { deploy, openAccount, respondAsService, secretsOf } from "../scripts/deploy/deployment.ts";
import { failEachCall } from "../scripts/deploy/faults.ts";
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
      "The secrets come from the environment: TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN.",
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

describe("npm run remove", () => {
  let standIn: CloudflareStandIn;
  let disabled: number;

  beforeEach(async () => {
    disabled = 0;
    standIn = await CloudflareStandIn.open();
    standIn.respond = respond;
    const databaseId = await standIn.state.createDatabase("berth");
    standIn.state.createBucket("berth");
    standIn.state.createWorker("berth", { ADMIN_TOKEN: "admin" });
    await standIn.state.useStorage(databaseId, async ({ FILES }) => {
      await FILES.put("extensions/o1/e1.zip", "zip");
      await FILES.put("profiles/o1/p1/c1", "profile");
    });
  });
  afterEach(() => standIn[Symbol.asyncDispose]());

  const countResources = ({ state } = standIn) =>
    state.databases.size + state.buckets.size + state.workers.size;

  /** A service with two pages of organizations. Its browser closes once both are disabled. */
  function respond(request: IncomingMessage, response: ServerResponse): void {
    const route = `${request.method} ${request.url}`;
    const send = (body: object, headers = {}) => response.writeHead(200, headers).end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer admin") response.writeHead(401).end("{}");
    else if (route.endsWith("offset=0")) send([{ id: "o1" }], { "x-has-more": "true", "x-next-offset": "1" });
    else if (route.endsWith("offset=1")) send([{ id: "o2" }], { "x-has-more": "false" });
    else if (route.startsWith("PATCH")) {
      disabled++;
      send({});
    } else {
      const standby = { is_ours: true, session_id: null };
      const foreign = { is_ours: false, session_id: null };
      const used = { is_ours: true, session_id: "s1" };
      send(disabled === 2 ? [standby, foreign] : [standby, foreign, used]);
    }
  }

  function remove(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    return runScript("remove", args, { ...standIn.environment, ...environment });
  }

  it("ends all sessions, then deletes the Worker, the files, the bucket and the database", async () => {
    const operator = { KERNEL_BASE_URL: "https://berth.first.workers.dev", ADMIN_TOKEN: "admin" };
    const { code, output } = await remove(["--yes"], operator);
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /end {5}all sessions.*the Worker berth.*the D1 database.*bucket berth, with all files/s,
    );
    expect(countResources()).toBe(0);
    expect(standIn.requests).toEqual([
      "GET /admin/organizations?limit=100&offset=0",
      "GET /admin/organizations?limit=100&offset=1",
      "PATCH /admin/organizations/o1",
      "PATCH /admin/organizations/o2",
      "GET /admin/browsers",
    ]);
    expect(standIn.calls.filter((call) => call.startsWith("DELETE "))).toEqual([
      "DELETE /workers/scripts/*",
      "DELETE /r2/buckets/*",
      "DELETE /d1/database/*",
    ]);
  });

  it("deletes nothing when the service refuses the token", async () => {
    const operator = { KERNEL_BASE_URL: "https://berth.first.workers.dev", ADMIN_TOKEN: "wrong" };
    expect((await remove(["--yes"], operator)).code).toBe(1);
    expect(countResources()).toBe(3);
  });

  it("says that browsers run on when it cannot reach the service, and continues after an interruption", async () => {
    const first = await remove(["--dry-run"]);
    expect(first.output).toContain("leave   running browsers to Cloudflare");
    standIn.state.workers.clear();
    const { code, output } = await remove(["--yes"]);
    expect(code, output).toBe(0);
    expect(output).not.toContain("the Worker berth");
    expect(countResources()).toBe(0);
    expect((await remove(["--yes"])).output).toContain("berth is not deployed");
  });

  it.each([
    ["in a dry run", ["--dry-run"], 0],
    ["without the typed name", [], 1],
  ])("deletes nothing %s", async (_, args, expectedCode) => {
    expect((await remove(args)).code).toBe(expectedCode);
    expect(countResources()).toBe(3);
  });
});

it(
  "a first deployment, an upgrade and a removal complete after a failure of each call that changes something",
  () => failEachCall("changes"),
  1_800_000,
);
