import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Account, FakeAccount } from "../scripts/deploy/fake-account.ts";

const USED: Account = {
  accounts: [{ id: "a1", name: "First" }],
  hasR2: true,
  hasBrowsers: true,
  database: "d1",
  bucket: ["extensions/o1/e1.zip", "profiles/o1/p1/c1"],
  secrets: { TOKEN_SECRET: "t", ENCRYPTION_KEY: "e", ADMIN_TOKEN: "admin" },
};

let fake: FakeAccount;
let disabled: number;

beforeEach(async () => {
  disabled = 0;
  fake = await FakeAccount.open(respond);
  fake.write(USED);
});
afterEach(() => fake[Symbol.asyncDispose]());

/** A service with two pages of organizations. Its browser closes once both are disabled. */
function respond(route: string, request: IncomingMessage, response: ServerResponse): void {
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
  return fake.run("remove", args, environment);
}

describe("npm run remove", () => {
  it("ends all sessions, then deletes the Worker, the files, the bucket and the database", async () => {
    const operator = { KERNEL_BASE_URL: fake.url, ADMIN_TOKEN: "admin" };
    const { code, output, account, commands } = await remove(["--yes"], operator);
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /end {5}all sessions.*the Worker berth.*the D1 database.*bucket berth, with all files/s,
    );
    for (const name of ["database", "bucket", "secrets"]) expect(account).not.toHaveProperty(name);
    expect(fake.requests).toEqual([
      "GET /admin/organizations?limit=100&offset=0",
      "GET /admin/organizations?limit=100&offset=1",
      "PATCH /admin/organizations/o1",
      "PATCH /admin/organizations/o2",
      "GET /admin/browsers",
    ]);
    expect(commands.slice(-3)).toEqual(["a1 delete", "a1 r2 bucket delete berth", "a1 d1 delete berth"]);
  });

  it("deletes nothing when the service refuses the token", async () => {
    const { code, account } = await remove(["--yes"], { KERNEL_BASE_URL: fake.url, ADMIN_TOKEN: "wrong" });
    expect(code).toBe(1);
    expect(account).toMatchObject(USED);
  });

  it("says that browsers run on when it cannot reach the service, and continues after an interruption", async () => {
    const { secrets: _, ...withoutWorker } = USED;
    const first = await remove(["--dry-run"]);
    expect(first.output).toContain("leave   running browsers to Cloudflare");
    fake.write(withoutWorker);
    const { code, output, account } = await remove(["--yes"]);
    expect(code, output).toBe(0);
    expect(output).not.toContain("the Worker berth");
    expect(account).not.toHaveProperty("database");
    expect((await remove(["--yes"])).output).toContain("berth is not deployed");
  });

  it.each([
    ["in a dry run", ["--dry-run"], 0],
    ["without the typed name", [], 1],
  ])("deletes nothing %s", async (_, args, expectedCode) => {
    const { code, account } = await remove(args);
    expect(code).toBe(expectedCode);
    expect(account).toMatchObject(USED);
  });
});
