import { beforeAll, expect, test } from "vitest";
import { ProbeAPI, type Result } from "../../scripts/probe/api.ts";
import { openClientSession, tryMessages } from "../../scripts/probe/client-checks.ts";
import { startExitProxy } from "../../scripts/probe/exit-proxy.ts";
import { LOCAL_DIFFERENCES } from "../../scripts/probe/report.ts";
import { SharedService } from "./shared-service.ts";

const results = new Map<string, Result>();

const service = await SharedService.use();
const api = new ProbeAPI({ url: service.baseURL, token: service.adminToken });

beforeAll(async () => {
  await using proxy = await startExitProxy();
  const { signal } = new AbortController();
  for (const probe of await api.listProbes()) {
    if (probe.is_long || probe.runs_in === "client") continue;
    const run = () => api.run(probe, { proxy: proxy.url, seconds: 1, signal });
    const result = await run();
    // A busy machine may not answer in time.
    results.set(probe.name, result.outcome === "untried" ? await run() : result);
  }
});

test("the local platform does what it is known to do", () => {
  expect(results.size).toBeGreaterThan(17);
  const seen = [...results.values()].map(({ name, outcome, seen }) => `${name} ${outcome}: ${seen}`);
  const outcomes = new Map([...results].map(([name, { outcome }]) => [name, outcome]));
  const expected = [...results.keys()].map((name) => [name, name in LOCAL_DIFFERENCES ? "differs" : "holds"]);
  expect(Object.fromEntries(outcomes), seen.join("\n")).toEqual(Object.fromEntries(expected));
});

test("the checks close their browsers and say what they used", () => {
  for (const { cost, name } of results.values()) {
    expect(cost.browser_seconds, name).toBeGreaterThanOrEqual(cost.browsers ?? 0);
  }
  expect(results.get("browser_launches")?.cost.browsers).toBeGreaterThanOrEqual(3);
});

test("large messages pass both ways through a session's URL", async () => {
  await using session = await openClientSession(api.operator);
  service.keepSecret(session.user.token);
  expect(await tryMessages(session)).toMatchObject({ outcome: "holds" });
});
