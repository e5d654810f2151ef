import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/local/paths.ts";

interface Account {
  accounts?: { id: string; name: string }[];
  hasR2: boolean;
  hasBrowsers: boolean;
  database?: string;
  bucket?: string[];
  secrets?: Record<string, string>;
}

const EMPTY: Account = { accounts: [{ id: "a1", name: "First" }], hasR2: true, hasBrowsers: true };
const SECRETS = { TOKEN_SECRET: "t", ENCRYPTION_KEY: "e", ADMIN_TOKEN: "admin" };
const USED: Account = { ...EMPTY, database: "d1", bucket: [], secrets: SECRETS };
const CONFIG = join(ROOT, "wrangler.deployed.toml");

let folder: string;
let file: string;
let service: Server;
let requests: string[];
let canStart: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "deploy-"));
  file = join(folder, "account.json");
  requests = [];
  canStart = true;
  service = createServer(respond).listen(0, "127.0.0.1");
  await once(service, "listening");
});
afterEach(() => {
  service.close();
  rmSync(folder, { recursive: true });
  rmSync(CONFIG, { force: true });
});

function readAccount(): Account {
  return JSON.parse(readFileSync(file, "utf8"));
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const route = `${request.method} ${request.url}`;
  requests.push(route);
  const isAdmin = request.headers.authorization === `Bearer ${readAccount().secrets?.ADMIN_TOKEN}`;
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

async function deploy(
  account: Account,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string; account: Account; commands: string[] }> {
  const { port } = service.address() as AddressInfo;
  writeFileSync(file, JSON.stringify({ ...account, url: `http://127.0.0.1:${port}` }));
  const { CLOUDFLARE_ACCOUNT_ID: _, ADMIN_TOKEN: __, ...inherited } = process.env;
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", "scripts/deploy.ts", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      ...environment,
      FAKE_ACCOUNT: file,
      BERTH_WRANGLER: join(import.meta.dirname, "fake-wrangler.mjs"),
    },
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number]>,
  ]);
  const log = existsSync(`${file}.log`) ? readFileSync(`${file}.log`, "utf8") : "";
  return { code, output: output + errors, account: readAccount(), commands: log.trim().split("\n") };
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
    const { code, output, account } = await deploy(USED, ["--yes"], { ADMIN_TOKEN: "admin" });
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

  it("uses the account from the environment", async () => {
    const accounts = [...(EMPTY.accounts ?? []), { id: "a2", name: "Second" }];
    const { output } = await deploy({ ...EMPTY, accounts }, ["--yes"], { CLOUDFLARE_ACCOUNT_ID: "a2" });
    expect(output).toContain("Changes to the account Second (a2):");
  });

  it("fails when no session starts and deletes the organization", async () => {
    canStart = false;
    const { code, output } = await deploy(EMPTY, ["--yes"]);
    expect(code).toBe(1);
    expect(output).toContain("the test session failed: 503");
    expect(requests.at(-1)).toBe("DELETE /admin/organizations/o1");
  });
});

describe("npm run deploy -- --destroy", () => {
  it("lists and deletes all resources", async () => {
    const { code, output, account } = await deploy(USED, ["--destroy", "--yes"]);
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /delete {2}the Worker berth.*delete {2}the D1 database berth.*delete {2}the R2 bucket/s,
    );
    expect(account).not.toHaveProperty("database");
    expect(account).not.toHaveProperty("bucket");
    expect(account).not.toHaveProperty("secrets");
  });

  it("deletes nothing without confirmation", async () => {
    const { code, account } = await deploy(USED, ["--destroy"]);
    expect(code).toBe(1);
    expect(account).toMatchObject({ database: "d1", bucket: [], secrets: SECRETS });
  });

  it("reports a bucket that is not empty", async () => {
    const { code, output } = await deploy({ ...USED, bucket: ["file"] }, ["--destroy", "--yes"]);
    expect(code).toBe(1);
    expect(output).toContain("empty it in the Cloudflare dashboard");
  });
});
