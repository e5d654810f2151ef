import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AppRow } from "../../../src/database/schema/apps.ts";
import { type Client, newClient } from "../../api.ts";
import { passTime } from "../../objects.ts";
import { putApp } from "../deployed-app.ts";
import { useHeldUpFiles } from "../held-up-files.ts";
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
  untilStatus,
} from "./actions.ts";
import { insertInvocationRow, invocationRow } from "./invocations.ts";
import { answerOutsideRequests } from "./outside-requests.ts";

const TICK = 'setInterval(() => fetch("http://ticks.test/" + context.invocation_id).catch(() => {}), 50);';

let client: Client;
let app: AppRow;
const outside = answerOutsideRequests();
const holdUpFiles = useHeldUpFiles();

beforeAll(async () => {
  client = await newClient();
  app = await putApp(client, {
    tick: `console.log("begun"); ${TICK} await new Promise(() => {});`,
    "tick-once": `await new Promise((resolve) => setTimeout(resolve, 500));
      await fetch("http://ticks.test/" + context.invocation_id);`,
    echo: "return payload;",
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Holds up whoever reads a bundle, which comes before the code runs. @returns lets them go on. */
function holdUpBundles(): () => void {
  const gate = Promise.withResolvers<void>();
  holdUpFiles("get", async (key) => {
    if (key.endsWith("bundle.js")) await gate.promise;
  });
  return gate.resolve;
}

describe("an invocation whose object is crashed", () => {
  it("while its action runs has failed, and is not run again", async () => {
    const id = await invokeAsync(client, app, "tick");
    // By then what it has logged is written.
    await expect.poll(() => outside.urls.length).toBeGreaterThan(5);
    const following = readEvents(client, id).catch(() => []);
    await restartInvocation(id);
    await following;
    expect(await runInvocationAlarm(id)).toBe(true);
    const failed = await untilStatus(client, id, "failed");
    expect(failed.status_reason).toBe("The service was restarted while the action ran");
    const events = await readEvents(client, id);
    expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
    expect(linesOf(events)).toEqual(["begun"]);
    outside.urls.length = 0;
    await restartInvocation(id);
    expect(await readEvents(client, id)).toEqual(events);
    // Were it run again, it would have ticked before one that begins only now and takes its time.
    const later = await invoke(client, app, "tick-once");
    expect(outside.urls).toEqual([`http://ticks.test/${later.id}`]);
  });

  it("while somebody waits for its action answers them that it has failed", async () => {
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

  it("before its action has begun is run, where nobody waits", async () => {
    const release = holdUpBundles();
    const id = await invokeAsync(client, app, "echo", { payload: "[1]" });
    await restartInvocation(id);
    expect((await readInvocation(client, id)).status).toBe("queued");
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    expect(await untilStatus(client, id, "succeeded")).toMatchObject({ output: "[1]" });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "succeeded"]);
  });

  it("before its action has begun has failed, where somebody waited", async () => {
    const release = holdUpBundles();
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

describe("while the database fails", () => {
  it("an action ends as ever, and the index is told later", async () => {
    const rename = (from: string, to: string) => env.DB.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
    const gate = Promise.withResolvers<Response>();
    outside.answer = () => gate.promise;
    const slow = await putApp(client, { slow: 'await fetch("http://gate.test/"); return 1;' });
    const waiting = invoke(client, slow, "slow");
    await expect.poll(() => outside.urls).toContain("http://gate.test/");
    await rename("invocations", "invocations_away");
    gate.resolve(new Response());
    const { id, ...created } = await waiting;
    await rename("invocations_away", "invocations");
    expect(created).toEqual({ action_name: "slow", status: "succeeded", output: "1" });
    expect((await readInvocationRow(id))?.finishedAt).toBeNull();
    passTime(10_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    expect(await readInvocation(client, id)).toMatchObject({ status: "succeeded", output: "1" });
    expect(await runInvocationAlarm(id)).toBe(false);
  });
});

describe("a row whose invocation never reached its object", () => {
  it("is taken over, and failed", async () => {
    const { organizationId } = client;
    const { id } = await insertInvocationRow({ organizationId, actionName: "lost" });
    await env.INVOCATION.getByName(id).reconcile({ id, organizationId });
    expect(await readInvocation(client, id)).toMatchObject({
      status: "failed",
      status_reason: "The service failed before the action began",
      finished_at: expect.any(String),
    });
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "failed"]);
  });

  it("is not run when it reaches its object later", async () => {
    const { organizationId } = client;
    const { id } = await insertInvocationRow({
      organizationId,
      appName: app.name,
      actionName: "echo",
      deploymentId: app.deploymentId,
    });
    const invocation = env.INVOCATION.getByName(id);
    await invocation.reconcile({ id, organizationId });
    const row = invocationRow({ organizationId, id, appName: app.name, deploymentId: app.deploymentId });
    const start = { row, envVars: null, origin: "https://berth.test", isAwaited: true, timeoutMs: 1000 };
    expect(await invocation.start(start)).toMatchObject({ status: "failed" });
  });

  it("is left alone when there is no such row", async () => {
    const { id, organizationId } = invocationRow(client);
    const invocation = env.INVOCATION.getByName(id);
    expect(await invocation.reconcile({ id, organizationId })).toBeUndefined();
    expect(await invocation.authorizeRun(organizationId)).toBe(false);
  });
});
