import { describe, expect, it } from "vitest";
import { invocationSchema } from "../../../../src/features/apps/invocations/schema.ts";
import { pause } from "../../../../src/lib/common/concurrency.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { newClient } from "../../../api.ts";
import { useDelayedFiles } from "../delayed-files.ts";
import { deployApp } from "../deployed-app.ts";
import { invoke, invokeAsync, readEvents, readInvocation, statesOf, waitForStatus } from "./actions.ts";
import { insertInvocationRow } from "./invocations.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

/** Sends a request ten times a second for as long as the code lives. */
const TICK = 'setInterval(() => fetch("http://ticks.test/" + context.invocation_id).catch(() => {}), 100);';

const outside = mockOutsideRequests();
const delayFiles = useDelayedFiles();
const client = await newClient();
const app = await deployApp(
  client,
  {
    tick: `${TICK} await new Promise(() => {});`,
    leave: `${TICK} waitUntil(new Promise(() => {})); return "left";`,
    "cancel-itself": 'await kernel.invocations.update(context.invocation_id, { status: "failed" });',
    "settle-itself":
      'await kernel.invocations.update(context.invocation_id, { status: "succeeded", output: "7" }); return 8;',
    quick: "return 1;",
  },
  { head: 'import { waitUntil } from "cloudflare:workers";' },
);

async function waitForTick(id: string): Promise<void> {
  await expect.poll(() => outside.urls).toContain(`http://ticks.test/${id}`);
}

async function expectDead(id: string): Promise<void> {
  outside.urls.length = 0;
  await pause(500);
  expect(outside.urls.filter((url) => url.endsWith(id))).toEqual([]);
}

describe("PATCH /invocations/{id}", () => {
  it("cancels a running invocation and kills its code immediately", async () => {
    const id = await invokeAsync(client, app, "tick");
    await waitForTick(id);
    const answer = await client.patch(`/invocations/${id}`, { status: "failed" });
    const changed = answer.read(invocationSchema);
    expect(changed).toMatchObject({
      id,
      app_name: app.name,
      status: "failed",
      status_reason: "Cancelled by a call",
      finished_at: expect.any(String),
    });
    expect(await readInvocation(client, id)).toEqual(changed);
    await expectDead(id);
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "failed"]);
  });

  it("responds to the client that waits for the action", async () => {
    const waiting = invoke(client, app, "tick");
    const list = async () =>
      (await client.get("/invocations?action_name=tick&status=running")).read(invocationSchema.array());
    await expect.poll(list).toHaveLength(1);
    const [running] = await list();
    await client.patch(`/invocations/${running?.id}`, { status: "failed", output: '"so far"' });
    expect(await waiting).toMatchObject({ id: running?.id, status: "failed", output: '"so far"' });
  });

  it("completes a running invocation with an output", async () => {
    const id = await invokeAsync(client, app, "tick");
    await waitForTick(id);
    const output = JSON.stringify("x".repeat(100_000));
    const answer = await client.patch(`/invocations/${id}`, { status: "succeeded", output });
    expect(answer.read(invocationSchema)).toMatchObject({ status: "succeeded", output });
    expect(await readInvocation(client, id)).toMatchObject({ status: "succeeded", output });
    await expectDead(id);
  });

  it("can be called by the action itself", async () => {
    expect(await invoke(client, app, "cancel-itself")).toMatchObject({ status: "failed" });
    const settled = await invoke(client, app, "settle-itself");
    expect(settled).toMatchObject({ status: "succeeded", output: "7" });
    expect(statesOf(await readEvents(client, settled.id))).toEqual(["queued", "running", "succeeded"]);
  });

  it("responds with 409 for a finished invocation and leaves it unchanged", async () => {
    const { id } = await invoke(client, app, "quick");
    const before = await readInvocation(client, id);
    for (const status of ["failed", "succeeded"]) {
      const answer = await client.patch(`/invocations/${id}`, { status, output: "2" });
      expect(answer.status).toBe(409);
      expect(answer.headers.get("x-should-retry")).toBe("false");
      expect(answer.error.message).toBe("The invocation has already finished");
    }
    expect(await readInvocation(client, id)).toEqual(before);
  });

  it("accepts only one of several concurrent requests", async () => {
    const id = await invokeAsync(client, app, "tick");
    await waitForTick(id);
    const outputs = Array.from({ length: 8 }, (_, number) => JSON.stringify(`${number}`.repeat(70_000)));
    let storing = 0;
    delayFiles("put", () => pause(50 * (outputs.length - storing++)));
    const answers = await Promise.all(
      outputs.map((output) => client.patch(`/invocations/${id}`, { status: "succeeded", output })),
    );
    const accepted = outputs.filter((_, index) => answers[index]?.status === 200);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(accepted).toHaveLength(1);
    expect((await readInvocation(client, id)).output).toBe(accepted[0]);
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "succeeded"]);
  });

  it.each([
    ["status", { status: "running" }],
    ["status", {}],
    ["output", { status: "failed", output: "{no json" }],
  ])("reports an invalid %s in %j", async (field, body) => {
    const { id } = await invoke(client, app, "quick");
    expect((await client.patch(`/invocations/${id}`, body)).invalidFields).toEqual([field]);
  });

  it("rejects an output over 4.5 MiB", async () => {
    const id = await invokeAsync(client, app, "tick");
    await waitForTick(id);
    const output = JSON.stringify("x".repeat(4.5 * 1024 * 1024));
    expect((await client.patch(`/invocations/${id}`, { status: "succeeded", output })).status).toBe(413);
    expect((await readInvocation(client, id)).status).toBe("running");
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("fails an invocation that never reached its object, as does following it", async () => {
    const { organizationId } = client;
    const startedAt = Date.now() - 60_000;
    const lost = await insertInvocationRow({ organizationId, startedAt });
    const answer = await client.patch(`/invocations/${lost.id}`, { status: "succeeded" });
    expect(answer.status, answer.text).toBe(409);
    const reason = "The service failed before the action began";
    expect(await readInvocation(client, lost.id)).toMatchObject({ status: "failed", status_reason: reason });
    const other = await insertInvocationRow({ organizationId, startedAt });
    expect(statesOf(await readEvents(client, other.id))).toEqual(["queued", "failed"]);
  });

  it("responds with 404 for an unknown invocation", async () => {
    const answer = await client.patch(`/invocations/${newIdentifier()}`, { status: "failed" });
    expect(answer.status).toBe(404);
    expect(answer.error.message).toBe("invocation not found");
  });
});

describe("a finished action", () => {
  it("leaves neither timers nor waitUntil promises running", async () => {
    const { id, output } = await invoke(client, app, "leave");
    expect(output).toBe('"left"');
    await expectDead(id);
    expect((await waitForStatus(client, id, "succeeded")).output).toBe('"left"');
  });
});
