import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { DeploymentEvent } from "../../../../src/features/apps/deployments/schema.ts";
import { deploymentObject } from "../../../../src/features/apps/deployments/stub.ts";
import { type Client, newClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { appSource, deployAndWait, isSettled, readEventsUntil, request, runAlarm } from "./deployments.ts";

const DAY_MS = 86_400_000;

let client: Client;
let id: string;
beforeEach(async () => {
  client = await newClient();
  ({ id } = await deployAndWait(client, { "index.ts": appSource("followed") }));
});

function log(...texts: string[]): Promise<void> {
  return Promise.resolve(deploymentObject(env, id).log(texts.map((text) => ({ at: Date.now(), text }))));
}

function isLine(text: string) {
  return (event: DeploymentEvent) => event.event === "log" && event.message === text;
}

function linesOf(events: DeploymentEvent[]): string[] {
  return events.flatMap((event) => (event.event === "log" ? [event.message] : []));
}

describe("GET /deployments/{id}/events", () => {
  it("streams past events, then logs of invocations, until the deployment is stopped", async () => {
    const followed = readEventsUntil(client, id, () => false);
    await log("one", "two");
    await log("three");
    await client.delete(`/deployments/${id}`);
    const events = await followed;
    expect(linesOf(events).slice(-3)).toEqual(["one", "two", "three"]);
    expect(events.findIndex(isSettled)).toBeLessThan(events.findIndex(isLine("one")));
    expect(events.at(-1)).toMatchObject({ deployment: { status: "stopped" } });
  });

  it("streams the same events to several clients", async () => {
    const followed = Array.from({ length: 3 }, () => readEventsUntil(client, id, isLine("last")));
    for (let count = 0; count < 20; count++) await log(`line ${count}`);
    await log("last");
    const [first, ...others] = await Promise.all(followed);
    for (const other of others) expect(other).toEqual(first);
    expect(linesOf(first ?? []).slice(-21, -1)).toEqual(
      Array.from({ length: 20 }, (_, count) => `line ${count}`),
    );
  });

  it("streams only events since a time", async () => {
    advanceTime(60_000);
    await log("late");
    const since = new Date(Date.now() - 1000).toISOString();
    for (const query of ["?since=30s", `?since=${since}`]) {
      expect(await readEventsUntil(client, id, isLine("late"), query)).toMatchObject([{ message: "late" }]);
    }
    expect((await readEventsUntil(client, id, isLine("late"), "?since=5m")).length).toBeGreaterThan(1);
    expect((await readEventsUntil(client, id, isLine("late"), "?since=")).length).toBeGreaterThan(1);
  });

  it("rejects an invalid since", async () => {
    const answer = await client.get(`/deployments/${id}/events?since=yesterday`);
    expect(answer.invalidFields).toEqual(["since"]);
  });

  it("responds with an event stream", async () => {
    const response = await request(client, "GET", `/deployments/${id}/events`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-sse-content-type")).toBe("application/json");
    await response.body?.cancel();
  });
});

describe("logs of a deployment", () => {
  it("keep the last lines and every state", async () => {
    for (let batch = 0; batch < 5; batch++) {
      await log(...Array.from({ length: 500 }, (_, count) => `line ${batch * 500 + count}`));
    }
    await log("last");
    const events = await readEventsUntil(client, id, isLine("last"));
    const lines = linesOf(events);
    expect(lines.filter((line) => !line.startsWith("…"))).toHaveLength(1000);
    expect(lines).not.toContain("line 1500");
    expect(lines).toContain("line 1501");
    expect(events.filter(({ event }) => event === "deployment_state")).toHaveLength(3);
  });

  it("truncate long lines", async () => {
    await log("x".repeat(100_000), "end");
    const [long = ""] = linesOf(await readEventsUntil(client, id, isLine("end"))).slice(-2);
    expect(long.length).toBe(64 * 1024 + 1);
    expect(long.endsWith("x…")).toBe(true);
  });

  it("drop old lines but no state", async () => {
    await log("old");
    advanceTime(4 * DAY_MS);
    await log("young");
    await runAlarm(id);
    advanceTime(4 * DAY_MS);
    await runAlarm(id);
    await log("new");
    const events = await readEventsUntil(client, id, isLine("new"));
    expect(linesOf(events).filter((line) => !line.startsWith("…"))).toEqual(["young", "new"]);
    expect(events.filter(({ event }) => event === "deployment_state")).toHaveLength(3);
  });

  it("ignore lines after the end", async () => {
    await client.delete(`/deployments/${id}`);
    await log("late");
    expect(linesOf(await readEventsUntil(client, id, () => false))).not.toContain("late");
  });
});
