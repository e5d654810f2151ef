import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { useDelayedFiles } from "../delayed-files.ts";
import { deployApp } from "../deployed-app.ts";
import {
  invoke,
  invokeAsync,
  linesOf,
  readEvents,
  readInvocation,
  readInvocationRow,
  restartInvocation,
  runInvocationAlarm,
  statesOf,
  waitForStatus,
} from "./actions.ts";
import { insertInvocationRow, invocationRow } from "./invocations.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

const TICK = 'setInterval(() => fetch("http://ticks.test/" + context.invocation_id).catch(() => {}), 50);';

const outside = mockOutsideRequests();
const delayFiles = useDelayedFiles();
const client = await newClient();
const app = await deployApp(client, {
  tick: `console.log("begun"); ${TICK} await new Promise(() => {});`,
  "tick-once": `await new Promise((resolve) => setTimeout(resolve, 500));
    await fetch("http://ticks.test/" + context.invocation_id);`,
  echo: "return payload;",
});

/** Delays reads of the bundle, and so the start of the code. @returns a function that releases them. */
function delayBundles(): () => void {
  const gate = Promise.withResolvers<void>();
  delayFiles("get", async (key) => {
    if (key.endsWith("bundle.js")) await gate.promise;
  });
  return gate.resolve;
}

describe("an invocation whose object crashes", () => {
  it("fails while its action runs, and is not run again", async () => {
    const id = await invokeAsync(client, app, "tick");
    // By then its log lines are written.
    await expect.poll(() => outside.urls.length).toBeGreaterThan(5);
    const following = readEvents(client, id).catch(() => []);
    await restartInvocation(id);
    await following;
    expect(await runInvocationAlarm(id)).toBe(true);
    const failed = await waitForStatus(client, id, "failed");
    expect(failed.status_reason).toBe("The service was restarted while the action ran");
    const events = await readEvents(client, id);
    expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
    expect(linesOf(events)).toEqual(["begun"]);
    outside.urls.length = 0;
    await restartInvocation(id);
    expect(await readEvents(client, id)).toEqual(events);
    // A second run would tick before an invocation that starts only now.
    const later = await invoke(client, app, "tick-once");
    expect(outside.urls).toEqual([`http://ticks.test/${later.id}`]);
  });

  it("reports the failure to the client that waits for its action", async () => {
    const waiting = invoke(client, app, "tick");
    await expect.poll(() => outside.urls.length).toBeGreaterThan(0);
    const id = outside.urls[0]?.split("/").at(-1) ?? "";
    await restartInvocation(id);
    expect(await waiting).toEqual({
      id,
      action_name: "tick",
      status: "failed",
      status_reason: "The service was restarted while the action ran",
    });
  });

  it("runs if its action has not started and no client waits", async () => {
    const release = delayBundles();
    const id = await invokeAsync(client, app, "echo", { payload: "[1]" });
    await restartInvocation(id);
    expect((await readInvocation(client, id)).status).toBe("queued");
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    expect(await waitForStatus(client, id, "succeeded")).toMatchObject({ output: "[1]" });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "succeeded"]);
  });

  it("fails if its action has not started and a client waits", async () => {
    const release = delayBundles();
    const waiting = invoke(client, app, "echo", { payload: "[1]" });
    const list = async () => (await client.get("/invocations?status=queued")).json;
    await expect.poll(list).toHaveLength(1);
    const [{ id }] = (await list()) as [{ id: string }];
    await restartInvocation(id);
    release();
    expect(await waiting).toMatchObject({
      id,
      status: "failed",
      status_reason: "The service was restarted before the action began",
    });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "failed"]);
  });
});

describe("a database failure", () => {
  it("does not affect the action, and the row is updated later", async () => {
    const rename = (from: string, to: string) => env.DB.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
    const gate = Promise.withResolvers<Response>();
    outside.respond = () => gate.promise;
    const slow = await deployApp(client, { slow: 'await fetch("http://gate.test/"); return 1;' });
    const waiting = invoke(client, slow, "slow");
    await expect.poll(() => outside.urls).toContain("http://gate.test/");
    await rename("invocations", "invocations_away");
    gate.resolve(new Response());
    const { id, ...created } = await waiting;
    await rename("invocations_away", "invocations");
    expect(created).toEqual({ action_name: "slow", status: "succeeded", output: "1" });
    expect((await readInvocationRow(id))?.finishedAt).toBeNull();
    advanceTime(10_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    expect(await readInvocation(client, id)).toMatchObject({ status: "succeeded", output: "1" });
    expect(await runInvocationAlarm(id)).toBe(false);
  });
});

describe("an invocation that never reached its object", () => {
  it("is failed", async () => {
    const { organizationId } = client;
    const { id } = await insertInvocationRow({ organizationId, actionName: "lost" });
    await env.INVOCATION.getByName(id).reconcile({ projectId: "", id, organizationId });
    expect(await readInvocation(client, id)).toMatchObject({
      status: "failed",
      status_reason: "The service failed before the action began",
      finished_at: expect.any(String),
    });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "failed"]);
  });

  it("does not run when it reaches its object later", async () => {
    const { organizationId } = client;
    const { id } = await insertInvocationRow({
      organizationId,
      appName: app.name,
      actionName: "echo",
      deploymentId: app.deploymentId,
    });
    const invocation = env.INVOCATION.getByName(id);
    await invocation.reconcile({ projectId: "", id, organizationId });
    const row = invocationRow({ organizationId, id, appName: app.name, deploymentId: app.deploymentId });
    const start = { row, envVars: null, origin: "https://berth.test", isAwaited: true, timeoutMs: 1000 };
    expect(await invocation.start(start)).toMatchObject({ status: "failed" });
  });

  it("is ignored without a row", async () => {
    const { id, organizationId } = invocationRow(client);
    const invocation = env.INVOCATION.getByName(id);
    expect(await invocation.reconcile({ projectId: "", id, organizationId })).toBeUndefined();
    expect(await invocation.authorizeRun(organizationId)).toBe(false);
  });
});
