import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import worker from "../../../../src/index.ts";
import { newClient, ORIGIN } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { deployApp } from "../deployed-app.ts";
import {
  invoke,
  invokeAsync,
  readEvents,
  readInvocation,
  runInvocationAlarm,
  statesOf,
  waitForStatus,
} from "./actions.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

const jsonOfBytes = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
const MAX_VALUE_BYTES = 4.5 * 1024 * 1024;

const outside = mockOutsideRequests();
const client = await newClient();
const app = await deployApp(
  client,
  {
    echo: "return payload;",
    context: "return context;",
    nothing: "",
    environment: "return { color: process.env.COLOR, url: process.env.KERNEL_BASE_URL };",
    measure: "return payload.length;",
    repeat: 'return "x".repeat(payload);',
    throw: 'throw new RangeError("out of reach");',
    wait: "await new Promise((resolve) => setTimeout(resolve, 1e6));",
  },
  { envVars: { COLOR: "blue", KERNEL_API_KEY: "not this", KERNEL_BASE_URL: "not this" } },
);

describe("POST /invocations", () => {
  it("runs the action and responds with its result", async () => {
    const payload = '{"text": "it\'s ✓", "list": [1, null, {"a": true}]}';
    const created = await invoke(client, app, "echo", { payload });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      action_name: "echo",
      status: "succeeded",
      output: JSON.stringify(JSON.parse(payload)),
    });
    const read = await readInvocation(client, created.id);
    expect(read).toMatchObject({ ...created, app_name: app.name, version: "latest", payload });
    expect(read.started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    expect(Date.parse(read.finished_at ?? "")).toBeGreaterThanOrEqual(Date.parse(read.started_at));
  });

  it("passes the invocation id to the action, and the payload only if there is one", async () => {
    const { id, output } = await invoke(client, app, "context");
    expect(output).toBe(JSON.stringify({ invocation_id: id }));
    expect(await invoke(client, app, "echo")).toMatchObject({ status: "succeeded", output: "null" });
    expect((await invoke(client, app, "nothing")).output).toBe("null");
  });

  it("sets the variables of the deployment, but overrides those of the service", async () => {
    const { output } = await invoke(client, app, "environment");
    expect(JSON.parse(output ?? "")).toEqual({ color: "blue", url: ORIGIN });
  });

  it("responds with 200 and the reason when the action fails", async () => {
    const created = await invoke(client, app, "throw");
    expect(created).toMatchObject({ status: "failed", status_reason: "RangeError: out of reach" });
    expect(created).not.toHaveProperty("output");
    expect(await readInvocation(client, created.id)).toMatchObject({
      status: "failed",
      status_reason: "RangeError: out of reach",
      finished_at: expect.any(String),
    });
  });

  it("responds immediately with 202 when async", async () => {
    const id = await invokeAsync(client, app, "echo", { payload: "[1]" });
    const finished = await waitForStatus(client, id, "succeeded");
    expect(finished).toMatchObject({ payload: "[1]", output: "[1]" });
    const started = (await readEvents(client, id)).map((event) =>
      event.event === "invocation_state" ? event.invocation.started_at : undefined,
    );
    expect(new Set(started)).toEqual(new Set([finished.started_at]));
  });

  it("continues when the client disconnects", async () => {
    const gate = Promise.withResolvers<Response>();
    outside.respond = () => gate.promise;
    const slow = await deployApp(client, { slow: 'await fetch("http://gate.test/"); return 1;' });
    const caller = new AbortController();
    const body = JSON.stringify({ app_name: slow.name, version: "latest", action_name: "slow" });
    const request = new Request(`${ORIGIN}/invocations`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.token}`, "content-type": "application/json" },
      body,
      signal: caller.signal,
    });
    void Promise.resolve(worker.fetch(request, env, createExecutionContext())).catch(() => undefined);
    const list = async () => (await client.get(`/invocations?app_name=${slow.name}`)).json;
    await expect.poll(list).toMatchObject([{ status: "running" }]);
    caller.abort();
    // If it ended with its client, it would do so before an invocation that starts only now.
    await invoke(client, app, "nothing");
    gate.resolve(new Response());
    await expect.poll(list).toMatchObject([{ status: "succeeded", output: "1" }]);
  });

  it.each([
    ["app_name", { app_name: "no-such-app" }, "no-such-app"],
    ["version", { version: "v9" }, "deployed: latest"],
    ["action_name", { action_name: "fly" }, "it has: echo, context"],
    ["app_name", { app_name: "" }, "empty"],
    ["action_name", { action_name: undefined }, ""],
    ["payload", { payload: "{no json" }, "string of JSON"],
    ["payload", { payload: { a: 1 } }, "string of JSON"],
    ["async_timeout_seconds", { async: true, async_timeout_seconds: 9 }, "at least 10"],
    ["async_timeout_seconds", { async: true, async_timeout_seconds: 3601 }, "at most 3600"],
  ])("reports an invalid %s in %j", async (field, change, words) => {
    const body = { app_name: app.name, version: "latest", action_name: "echo", ...change };
    const before = (await client.get("/invocations")).text;
    const answer = await client.post("/invocations", body);
    expect(answer.invalidFields).toEqual([field]);
    expect(answer.error.message).toContain(words);
    expect((await client.get("/invocations")).text).toBe(before);
  });

  it("rejects apps of other organizations", async () => {
    const otherClient = await newClient();
    const body = { app_name: app.name, version: "latest", action_name: "echo" };
    expect((await otherClient.post("/invocations", body)).invalidFields).toEqual(["app_name"]);
  });

  it("rejects stopped apps", async () => {
    const stopped = await deployApp(client, { echo: "return 1;" });
    await env.DB.prepare("UPDATE apps SET current = 0 WHERE id = ?").bind(stopped.id).run();
    const body = { app_name: stopped.name, version: "latest", action_name: "echo" };
    expect((await client.post("/invocations", body)).invalidFields).toEqual(["app_name"]);
  });

  it("limits the payload to 4.5 MiB", async () => {
    const created = await invoke(client, app, "measure", { payload: jsonOfBytes(MAX_VALUE_BYTES) });
    expect(created.output).toBe(String(MAX_VALUE_BYTES - 2));
    const answer = await client.post("/invocations", {
      app_name: app.name,
      version: "latest",
      action_name: "measure",
      payload: jsonOfBytes(MAX_VALUE_BYTES + 1),
    });
    expect(answer.status).toBe(413);
    expect(answer.error).toMatchObject({
      code: "payload_too_large",
      message: expect.stringContaining("payload"),
    });
  });

  it("limits the output to 4.5 MiB", async () => {
    const created = await invoke(client, app, "repeat", { payload: String(MAX_VALUE_BYTES - 2) });
    expect(created).toMatchObject({ status: "succeeded" });
    expect(created.output).toHaveLength(MAX_VALUE_BYTES);
    expect((await readInvocation(client, created.id)).output).toHaveLength(MAX_VALUE_BYTES);
    const { status, status_reason, output } = await invoke(client, app, "repeat", {
      payload: String(5 * 1024 * 1024),
    });
    expect({ status, output }).toEqual({ status: "failed", output: undefined });
    expect(status_reason).toBe("The result has more than 4.5 MiB as JSON");
  });

  it("fails at the default timeout", async () => {
    const answer = client.post("/invocations", {
      app_name: app.name,
      version: "latest",
      action_name: "wait",
    });
    const list = async () => (await client.get("/invocations?action_name=wait&status=running")).json;
    await expect.poll(list).toHaveLength(1);
    const [{ id }] = (await list()) as [{ id: string }];
    advanceTime(90_000);
    await runInvocationAlarm(id);
    expect((await readInvocation(client, id)).status).toBe("running");
    advanceTime(10_000);
    await runInvocationAlarm(id);
    const { status, json } = await answer;
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id,
      status: "failed",
      status_reason: "The action did not end within its 100 seconds",
    });
  });

  it("fails at the requested timeout when async", async () => {
    const id = await invokeAsync(client, app, "wait", { async_timeout_seconds: 3600 });
    await waitForStatus(client, id, "running");
    advanceTime(3_590_000);
    await runInvocationAlarm(id);
    expect((await readInvocation(client, id)).status).toBe("running");
    advanceTime(10_000);
    await runInvocationAlarm(id);
    expect(await waitForStatus(client, id, "failed")).toMatchObject({
      status_reason: "The action did not end within its 3600 seconds",
    });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "failed"]);
  });

  it("keeps the runner out of reach of the app, also while it loads", async () => {
    const head = `
      const guard = await import("berth-loop-" + "guard");
      const console = await import("berth-" + "console");
      const nothing = () => undefined;
      const attempts = {
        "take the watch": () => (guard.watchRun ?? guard.claimWatchRun())(nothing),
        "take the check": () => (guard.watchLoops ?? guard.claimWatchLoops())(1),
        "take the lines": () => (console.followConsole ?? console.claimFollowConsole())(nothing),
      };
      const succeeded = () => Object.keys(attempts).filter((name) => {
        try { attempts[name](); return true; } catch { return false; }
      });
      const early = succeeded();`;
    const body = `
      const { Action, Describe } = await import("app-" + "runner.js");
      attempts["take the run"] = () => { Action.prototype.fetch = nothing; };
      attempts["add to the run"] = () => { Action.prototype.alarm = nothing; };
      attempts["make the run another's"] = () => { Object.setPrototypeOf(Action, class {}); };
      attempts["take the description"] = () => { Describe.prototype.fetch = nothing; };
      return { early, late: succeeded() };`;
    const hostile = await deployApp(client, { any: body }, { head });
    const { output, status_reason } = await invoke(client, hostile, "any");
    expect(JSON.parse(output ?? "null"), status_reason).toEqual({ early: [], late: [] });
  });

  it("fails while its deployment is paused because an earlier run blocked the event loop", async () => {
    const looping = await deployApp(client, { loop: "for (;;);", quick: "return 1;" });
    expect(await invoke(client, looping, "quick")).toMatchObject({ status: "succeeded" });
    expect(await invoke(client, looping, "loop")).toMatchObject({
      status: "failed",
      status_reason: expect.stringContaining("The code blocked the event loop for 1000 ms"),
    });
    advanceTime(0);
    const paused = await invoke(client, looping, "quick");
    expect(paused).toMatchObject({
      status: "failed",
      status_reason: expect.stringMatching(/its actions run again in (10|9) seconds$/),
    });
    expect(statesOf(await readEvents(client, paused.id))).toEqual(["queued", "failed"]);
    const setTimeout = vi.spyOn(globalThis, "setTimeout");
    const read = vi.spyOn(env.FILES, "get");
    for (let count = 0; count < 3; count += 1) await invoke(client, looping, "quick");
    expect(setTimeout.mock.calls.map(([, delayMs]) => delayMs)).toContain(250);
    expect(read.mock.calls.filter(([key]) => key.includes(looping.deploymentId))).toEqual([]);
    setTimeout.mockRestore();
    read.mockRestore();
    expect(await invoke(client, app, "echo", { payload: "1" })).toMatchObject({ status: "succeeded" });
    advanceTime(10_000);
    expect(await invoke(client, looping, "quick")).toMatchObject({ status: "succeeded" });
  });

  it("reports why an app cannot be loaded", async () => {
    const broken = await deployApp(client, { any: "" }, { head: 'throw new Error("not today");' });
    expect(await invoke(client, broken, "any")).toMatchObject({
      status: "failed",
      status_reason: "Error: not today\n  at index.ts:1:1",
    });
    await env.FILES.delete(`deployments/${client.organizationId}/${broken.deploymentId}/bundle.js`);
    expect(await invoke(client, broken, "any")).toMatchObject({
      status: "failed",
      status_reason: "The service failed while it ran the action",
    });
  });

  it("responds with 501 without Dynamic Workers", async () => {
    const { LOADER } = env;
    Object.assign(env, { LOADER: undefined });
    try {
      for (const [method, path] of [
        ["POST", "/invocations"],
        ["PATCH", "/invocations/any"],
        ["GET", "/invocations/any/events"],
        ["GET", "/invocations/any/browsers"],
        ["DELETE", "/invocations/any/browsers"],
      ] as const) {
        const answer = await client.call(method, path);
        expect(answer.status, path).toBe(501);
        expect(answer.error.message).toContain("Dynamic Workers");
      }
    } finally {
      Object.assign(env, { LOADER });
    }
  });
});
