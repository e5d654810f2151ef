import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CloudflareStandIn } from "../scripts/deploy/cloudflare/stand-in.ts";
import { runScript } from "./run-script.ts";

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

describe("npm run remove", () => {
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
