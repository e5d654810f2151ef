import { beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient, readUpgradeError } from "./devtools-client.ts";
import { findLeaks } from "./leaks.ts";
import type { Organization } from "./service-client.ts";
import { type LoggedEvent, parseEvent } from "./service-log.ts";
import { useService } from "./use-service.ts";

const LOG_TIMEOUT_MS = 30_000;

/** workerd writes this when a client disconnects. */
const PLATFORM_LINES = ["Uncaught Error: Network connection lost."];

const NO_FIELDS = { organization_id: undefined, session_id: undefined };

let organization: Organization;

const service = await useService();

beforeAll(async () => {
  organization = await service.createOrganization();
});

function waitForRequestEvent(fields: Partial<LoggedEvent>, since: number): Promise<LoggedEvent> {
  return service.log.waitForEvent({ event: "request", ...fields }, { since, withinMs: LOG_TIMEOUT_MS });
}

function send(method: string, path: string, key = organization.apiKey, body?: string): Promise<Response> {
  return fetch(`${service.baseURL}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body ?? null,
  });
}

describe("service log", () => {
  test("has one line per request with route, status, organization and session", async () => {
    const kernel = service.kernel({ apiKey: organization.apiKey });
    const organization_id = organization.id;
    const { session_id } = await kernel.browsers.create({ name: "logged" });
    const cases: [string, string, Partial<LoggedEvent>][] = [
      ["GET", "/browsers?limit=1", { route: "/browsers", status: 200, organization_id }],
      [
        "GET",
        `/browsers/${session_id}`,
        { route: "/browsers/:id_or_name", status: 200, organization_id, session_id },
      ],
      ["GET", "/no/such/route", { status: 404, organization_id }],
      ["GET", "/browsers?limit=0", { status: 400, organization_id, error: "bad_request" }],
      [
        "GET",
        "/credentials",
        { route: "/credentials", status: 501, organization_id, error: "not_implemented" },
      ],
      [
        "DELETE",
        `/browsers/${session_id}`,
        { route: "/browsers/:id_or_name", status: 204, organization_id, session_id },
      ],
    ];
    for (const [method, path, expected] of cases) {
      const since = service.log.mark();
      await send(method, path);
      const event = await waitForRequestEvent({ method }, since);
      expect(event).toMatchObject({ ...expected, method, duration_ms: expect.any(Number) });
      if (expected.session_id === undefined) expect(event.session_id).toBeUndefined();
    }
    const since = service.log.mark();
    await send("GET", "/browsers", "wrong-key");
    const rejected = await waitForRequestEvent({}, since);
    expect({ ...NO_FIELDS, ...rejected }).toMatchObject({ ...NO_FIELDS, status: 401, error: "unauthorized" });
    expect(service.log.events({ event: "request" }, since)).toHaveLength(1);
  });

  test("does not take ids of keys and organizations for sessions", async () => {
    const kernel = service.kernel({ apiKey: organization.apiKey });
    const [key] = await Array.fromAsync(kernel.apiKeys.list());
    const paths = [`/org/api_keys/${key?.id}`, `/admin/organizations/${organization.id}`];
    for (const path of paths) {
      const since = service.log.mark();
      await send("GET", path, path.startsWith("/admin") ? service.adminToken : organization.apiKey);
      const event = await waitForRequestEvent({ status: 200 }, since);
      expect([path, event.session_id]).toEqual([path, undefined]);
    }
  });

  test("has the session id when the path has its name", async () => {
    const kernel = service.kernel({ apiKey: organization.apiKey });
    const { session_id } = await kernel.browsers.create({ name: "by-name" });
    const since = service.log.mark();
    await kernel.browsers.retrieve("by-name");
    expect((await waitForRequestEvent({ method: "GET" }, since)).session_id).toBe(session_id);
    await kernel.browsers.deleteByID("by-name");
  });

  test("has one line per session event", async () => {
    const kernel = service.kernel({ apiKey: organization.apiKey });
    const since = service.log.mark();
    const { session_id, cdp_ws_url } = await kernel.browsers.create();
    const client = await DevToolsClient.connect(cdp_ws_url);
    client.socket.close();
    await client.closed;
    await service.log.waitForEvent(
      { event: "client_disconnected", session_id },
      { since, withinMs: LOG_TIMEOUT_MS },
    );
    await kernel.browsers.deleteByID(session_id);
    await service.log.waitForEvent(
      { event: "session_ended", session_id },
      { since, withinMs: LOG_TIMEOUT_MS },
    );

    const identity = { session_id, organization_id: organization.id };
    const life = service.log.events(identity, since).filter(({ event }) => event !== "request");
    expect(life).toEqual([
      { ...identity, event: "session_started", duration_ms: expect.any(Number) },
      { ...identity, event: "client_connected" },
      {
        ...identity,
        event: "client_disconnected",
        by: "client",
        code: expect.any(Number),
        duration_ms: expect.any(Number),
      },
      { ...identity, event: "session_ended", reason: "deleted", clients: 0 },
    ]);
  });

  test("omits the output of Playwright code", async () => {
    const { browsers } = service.kernel();
    const { session_id } = await browsers.create();
    const execute = (code: string) => browsers.playwright.execute(session_id, { code });
    const mark = service.log.mark();
    await execute(`
      const line = JSON.stringify({ event: "forged", marker: "of a script" });
      console.log(line);
      globalThis.console.error(line);
      process.stdout.write(line + "\\n");
      (await import("node:console")).default.warn(line);`);
    // Evicts the Workers of earlier scripts.
    for (let n = 0; n < 9; n += 1) await execute(`return ${n}`);
    await execute("throw new Error()");
    await service.log.waitForEvent(
      { event: "request", route: "/browsers/:id/playwright/execute" },
      { since: mark, withinMs: LOG_TIMEOUT_MS },
    );
    expect(service.log.textSince(mark)).not.toContain("of a script");
    expect(service.log.textSince(mark)).not.toContain("workerd");
    await browsers.deleteByID(session_id);
  });

  test("is JSON lines after the banner", () => {
    const lines = service.log.lines();
    const log = lines.slice(lines.findLastIndex((line) => line.startsWith("Press Ctrl-C to stop.")) + 1);
    const unstructured = log.filter((line) => line !== "" && parseEvent(line) === undefined);
    expect(unstructured.filter((line) => !PLATFORM_LINES.includes(line))).toEqual([]);
    expect(log.length).toBeGreaterThan(10);
  });
});

describe("secrets in the output", () => {
  test("are absent, wherever a client sends them", async () => {
    const kernel = service.kernel({ apiKey: organization.apiKey });
    const { session_id, cdp_ws_url } = await kernel.browsers.create();
    const created = await kernel.apiKeys.create({ name: "told once" });
    const rotated = await kernel.apiKeys.rotate(created.id);
    for (const { key } of [created, rotated]) service.keepSecret(key);
    const jwt = new URL(cdp_ws_url).searchParams.get("jwt") ?? "";
    service.keepSecret(jwt.split(".")[2] ?? jwt);

    const secrets = [jwt, created.key, service.adminToken, service.tokenSecret];
    const since = service.log.mark();
    for (const secret of secrets) {
      const encoded = encodeURIComponent(secret);
      await send("GET", `/browsers/${encoded}`);
      await send("GET", `/browsers?query=${encoded}&limit=0`);
      await send("GET", `/no/such/${encoded}`);
      await send("GET", "/browsers", secret);
      await send("GET", `/admin/organizations/${encoded}`, secret);
      await send("POST", "/browsers", organization.apiKey, `{"start_url":"${secret}"`);
      await send(
        "POST",
        "/browsers",
        organization.apiKey,
        JSON.stringify({ start_url: secret, name: secret }),
      );
      await fetch(`${service.baseURL}/cdp/${session_id}/json/version?jwt=${encoded}`);
      await fetch(`${service.baseURL}/cdp/${encoded}/json/version?jwt=${encoded}`);
      await readUpgradeError(`${service.baseURL.replace("http", "ws")}/cdp/${encoded}?jwt=${encoded}`);
    }
    await send("GET", "/browsers?limit=2");
    await service.log.waitForEvent(
      { event: "request", route: "/browsers", status: 200 },
      { since, withinMs: LOG_TIMEOUT_MS },
    );
    await kernel.browsers.deleteByID(session_id);
    const leaks = findLeaks(service.log.lines(), service.secrets(), { bannerKey: service.apiKey });
    expect(leaks).toEqual([]);
  });

  test("are detected, except for the key in the start banner", () => {
    const lines = (secret: string) => [`{"event":"request","route":"/${secret}"}`];
    const known = { secrets: ["hunter2"], banner: { bannerKey: "hunter2" } };
    expect(findLeaks(lines("hunter2"), known.secrets, known.banner)).toEqual([
      "line 1 contains a known secret",
    ]);
    expect(findLeaks(lines("x"), known.secrets, known.banner)).toEqual([]);
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    expect(findLeaks(lines(jwt), [], known.banner)).toEqual(["line 1 contains a signed token"]);
    expect(findLeaks(lines(`berth_${"k".repeat(43)}`), [], known.banner)).toEqual([
      "line 1 contains an API key",
    ]);
    const banner = service.log.lines().filter((line) => line.includes(service.apiKey));
    expect(banner).toHaveLength(2);
    expect(findLeaks(banner, [service.apiKey], { bannerKey: service.apiKey })).toEqual([]);
    expect(findLeaks(banner, [service.apiKey], { bannerKey: "another" })).toHaveLength(2);
  });
});
