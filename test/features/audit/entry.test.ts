import { describe, expect, it } from "vitest";
import { describeCall } from "../../../src/features/audit/entry.ts";
import { generateAPIKey } from "../../../src/features/organizations/api-keys/api-key.ts";

const KEY = generateAPIKey();
const TOKEN = "eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJzZXNzaW9uIn0.c2lnbmF0dXJl";

function describeRequest(path: string, route?: string, headers: Record<string, string> = {}) {
  const request = new Request(`https://berth.test${path}`, { headers });
  const answer = { route, status: 200, startedAt: 1000, answeredAt: 1025 };
  return describeCall(request, { ...answer, auth_strategy: "api_key", user_id: "key" });
}

describe("describeCall", () => {
  it("describes a call", () => {
    const headers = { "cf-connecting-ip": "203.0.113.7", "user-agent": "Kernel/JS 0.84.0" };
    expect(describeRequest("/browsers/mine?query=x", "/browsers/:id_or_name", headers)).toEqual({
      event_id: expect.stringMatching(/^[0-9a-z]{24}$/),
      timestamp: "1970-01-01T00:00:01.000Z",
      method: "GET",
      path: "/browsers/mine",
      route: "/browsers/:id_or_name",
      domain: "berth.test",
      service: "api",
      status: 200,
      duration_ms: 25,
      auth_strategy: "api_key",
      user_id: "key",
      email: "",
      client_ip: "203.0.113.7",
      user_agent: "Kernel/JS 0.84.0",
    });
  });

  it.each([
    ["/browsers", "/browsers", "api"],
    ["/mcp", "/mcp", "mcp"],
    ["/connect", "/connect", "api"],
    ["/cdp/x", "/cdp/:id", "cdp"],
    ["/webdriver/x", "/webdriver/:id", "webdriver"],
    ["/wd/hub/session", "/wd/hub/session", "webdriver"],
    ["/live/x/socket", "/live/:id/socket", "live_view"],
    ["/replay/x/y/video", "/replay/:session/:replay/video", "replays"],
    ["/nothing", undefined, "api"],
  ])("counts %s to a service", (path, route, service) => {
    expect(describeRequest(path, route)).toMatchObject({ service, route: route ?? "unmatched" });
  });

  it.each([
    [`/session/id.${TOKEN}/url`, "/session/:session_id/:command{.+}", "/session/:session_id/:command{.+}"],
    ["/session/any", "/session/:session_id", "/session/:session_id"],
    [`/browsers/id.${TOKEN}`, "/browsers/:id_or_name", "/browsers/[redacted]"],
    [`/nothing/${KEY}/x`, undefined, "/nothing/[redacted]/x"],
    [`/nothing/${KEY.replace("berth_", "%62erth%5F")}`, undefined, "/nothing/[redacted]"],
    [`/nothing/%65yJ${TOKEN.slice(3)}`, undefined, "/nothing/[redacted]"],
    [`/browsers?jwt=${TOKEN}#${KEY}`, "/browsers", "/browsers"],
    ["/profiles/heyJude", "/profiles/:id_or_name", "/profiles/heyJude"],
    ["/%E0%A4%A", undefined, "/%E0%A4%A"],
    [`/${"x".repeat(600)}`, undefined, `/${"x".repeat(510)}…`],
  ])("writes no secret of %s", (path, route, written) => {
    expect(describeRequest(path, route).path).toBe(written);
  });

  it.each([
    ["", ""],
    [`curl -H ${KEY}`, "curl -H [redacted]"],
    [`x?jwt=${TOKEN}`, "x?jwt=[redacted]"],
    ['"},{"hash":"0"}\\', '"},{"hash":"0"}\\'],
    ["x".repeat(300), `${"x".repeat(255)}…`],
  ])("writes no secret of the user agent %s", (agent, written) => {
    expect(describeRequest("/browsers", "/browsers", { "user-agent": agent }).user_agent).toBe(written);
  });
});
