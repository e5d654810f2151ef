import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { InvocationEvent } from "../../../../src/features/apps/invocations/schema.ts";
import worker from "../../../../src/index.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { type Client, newClient, ORIGIN } from "../../../api.ts";
import { deployApp } from "../deployed-app.ts";
import {
  invoke,
  invokeAsync,
  linesOf,
  parseEvents,
  readEvents,
  readInvocation,
  restartInvocation,
  statesOf,
  waitForStatus,
} from "./actions.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

const outside = mockOutsideRequests();
const client = await newClient();
const app = await deployApp(
  client,
  {
    talk: 'console.log("one", { two: 2 }); console.error("three"); return payload;',
    "talk-on": `console.log("before"); await fetch("http://gate.test/"); console.log("after");`,
    count: "for (let number = 0; number < payload; number += 1) console.log(number);",
    "count-in-parts": `for (let number = 0; number < 2500; number += 1) {
      console.log(number);
      if (number % 500 === 499) await fetch("http://gate.test/");
    }`,
    long: 'console.log("x".repeat(payload)); console.log("end");',
    flood: `for (;;) {
      for (let line = 0; line < 100; line += 1) console.log("x".repeat(1000));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }`,
    throw: 'const fail = () => { throw new Error("with a stack"); };\nfail();',
  },
  { head: 'console.log("loading");' },
);

async function follow(client: Client, id: string) {
  const request = new Request(`${ORIGIN}/invocations/${id}/events`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  const response = await worker.fetch(request, env, createExecutionContext());
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-sse-content-type")).toBe("application/json");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: InvocationEvent[] = [];
  let text = "";
  return {
    until: async (isDone: (events: InvocationEvent[]) => boolean) => {
      while (!isDone(events)) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) throw new Error("The stream has ended");
        text += value;
        const end = text.lastIndexOf("\n\n") + 2;
        events.push(...parseEvents(text.slice(0, end)));
        text = text.slice(end);
      }
      return events;
    },
    [Symbol.asyncDispose]: async () => {
      await reader?.cancel();
    },
  };
}

describe("GET /invocations/{id}/events", () => {
  it("streams all events in order, then ends", async () => {
    const { id } = await invoke(client, app, "talk", { payload: "[1]" });
    const events = await readEvents(client, id);
    const invocation = await readInvocation(client, id);
    const { output: _, ...before } = invocation;
    const unfinished = { ...before, finished_at: null };
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    expect(events).toEqual([
      { event: "invocation_state", invocation: { ...unfinished, status: "queued" }, timestamp },
      { event: "invocation_state", invocation: { ...unfinished, status: "running" }, timestamp },
      { event: "log", message: "loading", timestamp },
      { event: "log", message: "one { two: 2 }", timestamp },
      { event: "log", message: "three", timestamp },
      { event: "invocation_state", invocation, timestamp: invocation.finished_at },
    ]);
    expect(await readEvents(client, id)).toEqual(events);
  });

  it("streams live events, after each earlier event once", async () => {
    const gate = Promise.withResolvers<Response>();
    outside.respond = () => gate.promise;
    const id = await invokeAsync(client, app, "talk-on");
    await using early = await follow(client, id);
    await early.until((events) => linesOf(events).includes("before"));
    await using late = await follow(client, id);
    await late.until((events) => linesOf(events).includes("before"));
    gate.resolve(new Response());
    for (const follower of [early, late]) {
      const events = await follower.until((events) => statesOf(events).includes("succeeded"));
      expect(linesOf(events)).toEqual(["loading", "before", "after"]);
      expect(statesOf(events)).toEqual(["queued", "running", "succeeded"]);
      await expect(follower.until(() => false)).rejects.toThrow("ended");
    }
  });

  it("neither drops nor repeats lines for late readers", async () => {
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<Response>());
    outside.respond = () => gates[outside.urls.length - 1]?.promise ?? new Response();
    const hasRead = (last: number) => (events: InvocationEvent[]) => {
      const line = events.findLast(({ event }) => event === "log");
      return line?.event === "log" && line.message === String(last);
    };
    const id = await invokeAsync(client, app, "count-in-parts");
    await using early = await follow(client, id);
    await early.until(hasRead(499));
    await using late = await follow(client, id);
    // Only the last 1000 lines are kept, so both readers must catch up before the next part.
    for (const [index, gate] of gates.entries()) {
      for (const follower of [early, late]) await follower.until(hasRead(index * 500 + 499));
      gate.resolve(new Response());
    }
    for (const follower of [early, late]) {
      const events = await follower.until((events) => statesOf(events).includes("succeeded"));
      expect(linesOf(events)).toEqual(["loading", ...Array.from({ length: 2500 }, (_, n) => String(n))]);
    }
  });

  it("keeps the last 1000 lines and counts the dropped ones", async () => {
    const { id } = await invoke(client, app, "count", { payload: "1500" });
    const lines = linesOf(await readEvents(client, id));
    expect(lines).toEqual([
      "… 501 earlier lines are not kept",
      ...Array.from({ length: 1000 }, (_, index) => String(index + 500)),
    ]);
  });

  it("truncates long lines with an ellipsis", async () => {
    const { id } = await invoke(client, app, "long", { payload: "70000" });
    expect(linesOf(await readEvents(client, id))).toEqual(["loading", `${"x".repeat(65_536)}…`, "end"]);
  });

  it("reports the source positions of an error", async () => {
    const { id } = await invoke(client, app, "throw");
    const [, stack] = linesOf(await readEvents(client, id));
    expect(stack).toMatch(/^Error: with a stack\n\s+at fail \(index\.ts:\d+:1\)\n/);
    expect(stack).not.toContain("app-runner");
  });

  it("streams events since a time, and always the last one", async () => {
    const { id } = await invoke(client, app, "talk");
    const events = await readEvents(client, id);
    expect(await readEvents(client, id, "?since=")).toEqual(events);
    expect(await readEvents(client, id, "?since=5m")).toEqual(events);
    const [first] = events;
    const later = events.filter(({ timestamp }) => timestamp > (first?.timestamp ?? ""));
    const since = new Date(Date.parse(first?.timestamp ?? "") + 1).toISOString();
    expect(await readEvents(client, id, `?since=${since}`)).toEqual(later);
    expect(await readEvents(client, id, "?since=2999-01-01")).toEqual(events.slice(-1));
    expect((await client.get(`/invocations/${id}/events?since=soon`)).invalidFields).toEqual(["since"]);
  });

  it("fails an action that logs too much", async () => {
    const created = await invoke(client, app, "flood");
    expect(created).toMatchObject({ status: "failed", status_reason: "More than 8 MiB were logged" });
    const events = await readEvents(client, created.id);
    expect(linesOf(events)).toHaveLength(1001);
    expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
  });

  it("streams the same events after a restart of the object", async () => {
    const { id } = await invoke(client, app, "talk");
    const events = await readEvents(client, id);
    await restartInvocation(id);
    expect(await readEvents(client, id)).toEqual(events);
  });

  it("streams only the end once the logs are deleted", async () => {
    const { id } = await invoke(client, app, "talk");
    const events = await readEvents(client, id);
    await env.INVOCATION.getByName(id).deleteLogs();
    expect(await readEvents(client, id)).toEqual(events.slice(-1));
    expect((await client.patch(`/invocations/${id}`, { status: "failed" })).status).toBe(409);
    expect(await readInvocation(client, id)).toMatchObject({ status: "succeeded" });
  });

  it("keeps the logs of a running invocation", async () => {
    const gate = Promise.withResolvers<Response>();
    outside.respond = () => gate.promise;
    const id = await invokeAsync(client, app, "talk-on");
    await waitForStatus(client, id, "running");
    await env.INVOCATION.getByName(id).deleteLogs();
    gate.resolve(new Response());
    await waitForStatus(client, id, "succeeded");
    expect(linesOf(await readEvents(client, id))).toEqual(["loading", "before", "after"]);
  });

  it("sends an error when a value cannot be read", async () => {
    const { id } = await invoke(client, app, "talk", { payload: JSON.stringify("x".repeat(100_000)) });
    await env.FILES.delete(`invocations/${client.organizationId}/${id}/payload.json`);
    expect(await readEvents(client, id)).toEqual([
      {
        event: "error",
        error: expect.objectContaining({
          code: "internal_error",
          message: expect.stringContaining("cannot be read"),
        }),
        timestamp: expect.any(String),
      },
    ]);
  });

  it("responds with 404 for an unknown invocation", async () => {
    expect((await client.get(`/invocations/${newIdentifier()}/events`)).status).toBe(404);
  });
});
