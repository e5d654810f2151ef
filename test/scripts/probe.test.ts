import type { RequestListener } from "node:http";
import { expect, it } from "vitest";
import { ProbeAPI } from "../../scripts/probe/api.ts";
import { judgeLog, judgeReconnect, openClientSession } from "../../scripts/probe/client-checks.ts";
import { dollarsOf, formatCost, sumCosts } from "../../scripts/probe/report.ts";
import { readTail } from "../../scripts/probe/target.ts";
import { serveHTTP } from "../outside/local-server.ts";

it.each([
  [
    { closeCode: 1006, reconnectMs: 900, hasTab: true },
    "holds",
    "closed with 1006, connected again after 900 ms",
  ],
  [{ closeCode: undefined, reconnectMs: 5, hasTab: true }, "holds", "not closed"],
  [{ closeCode: 1006, reconnectMs: 900, hasTab: false }, "differs", "its tab is gone"],
  [{ closeCode: 1006, reconnectMs: undefined, hasTab: false }, "differs", "no connection"],
])("judges the reconnect %j", (seen, outcome, text) => {
  const finding = judgeReconnect(seen);
  expect(finding.outcome).toBe(outcome);
  expect(finding.seen).toContain(text);
});

const secrets = { planted: "berth-probe-1", key: "berth_2" };

it.each([
  [["a line"], true, "holds", "1 lines"],
  [["a line"], false, "untried", "none of the requests"],
  [["GET /x?token=berth-probe-1", "y"], true, "differs", "planted"],
  [["GET /x?token=berth-probe-1", "berth_2"], false, "differs", "planted, key"],
])("judges the log %j", (log, wasLogged, outcome, text) => {
  const finding = judgeLog(log, secrets, wasLogged);
  expect(finding.outcome).toBe(outcome);
  expect(finding.seen).toContain(text);
  expect(finding.seen).not.toContain("berth");
});

it("reads the log lines of a tail, without the URLs of its events", () => {
  const event = (message: string) => ({
    event: { request: { url: "https://berth.example/?token=secret" } },
    logs: [{ message: [message] }],
    exceptions: [{ message: "failed", stack: "at x" }],
  });
  const output = [event("first }\n}"), event("second")].map((one) => JSON.stringify(one, null, 2)).join("\n");
  const lines = readTail(`${output}\n{\n  "event"`);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("first");
  expect(lines[1]).toContain("second");
  expect(lines[1]).toContain("failed");
  expect(lines.join()).not.toContain("secret");
});

async function serve(listener: RequestListener) {
  const server = await serveHTTP(listener);
  return { ...server, api: new ProbeAPI({ url: server.origin, token: "t" }) };
}

it("says why a client gets no session, and deletes its organization", async () => {
  const requests: string[] = [];
  await using service = await serve(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    if (url === "/browsers") response.writeHead(503).end("no browser");
    else response.end(method === "POST" ? JSON.stringify({ id: "o1", api_key: { key: "k" } }) : "");
  });
  await expect(openClientSession(service.api.operator)).rejects.toThrow(
    "POST /browsers failed: 503 no browser",
  );
  expect(requests.at(-1)).toBe("DELETE /admin/organizations/o1");
});

it("says why a service cannot be probed", async () => {
  const service = await serve((_, response) => response.writeHead(401).end("wrong token"));
  const why = () => service.api.listProbes().catch((error: unknown) => String(error));
  expect(await why()).toBe(
    "SetUpError: The service cannot be probed: GET /admin/capabilities failed: 401 wrong token",
  );
  await service[Symbol.asyncDispose]();
  expect(await why()).toMatch(
    /^SetUpError: The service cannot be probed: http.* did not answer: .*fetch failed: .*ECONNREFUSED/,
  );
});

it("adds up what the checks cost", () => {
  const cost = sumCosts([
    { browsers: 1, browser_seconds: 1800 },
    { browser_seconds: 1800, dynamic_workers: 5 },
    {},
  ]);
  expect(cost).toMatchObject({ browsers: 1, browser_seconds: 3600, dynamic_workers: 5, r2_reads: 0 });
  expect(dollarsOf(cost)).toBeCloseTo(0.1);
  expect(formatCost(cost)).toBe(
    "Made and removed: 1 browsers, all closed, 3600 seconds of browsers, 5 Dynamic Workers. Costs at most $0.1000.",
  );
  expect(formatCost(sumCosts([]))).toBe("Made and removed: nothing. Costs at most $0.0000.");
});
