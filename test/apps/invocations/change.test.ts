import { beforeAll, describe, expect, it } from "vitest";
import { invocationSchema } from "../../../src/apps/invocations/schema.ts";
import { pause } from "../../../src/common/concurrency.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import type { AppRow } from "../../../src/database/schema/apps.ts";
import { type Client, newClient } from "../../api.ts";
import { putApp } from "../deployed-app.ts";
import { useHeldUpFiles } from "../held-up-files.ts";
import { invoke, invokeAsync, readEvents, readInvocation, statesOf, untilStatus } from "./actions.ts";
import { insertInvocationRow } from "./invocations.ts";
import { answerOutsideRequests } from "./outside-requests.ts";

/** Asks something of another host ten times a second, for as long as it lives. */
const TICK = 'setInterval(() => fetch("http://ticks.test/" + context.invocation_id).catch(() => {}), 100);';

let client: Client;
let app: AppRow;
const outside = answerOutsideRequests();
const holdUpFiles = useHeldUpFiles();

beforeAll(async () => {
  client = await newClient();
  app = await putApp(
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
});

/** Waits until the code of an invocation shows that it is alive. */
async function untilTicking(id: string): Promise<void> {
  await expect.poll(() => outside.urls).toContain(`http://ticks.test/${id}`);
}

/** What a killed run asks for is nothing, however long one listens. */
async function expectDead(id: string): Promise<void> {
  outside.urls.length = 0;
  await pause(500);
  expect(outside.urls.filter((url) => url.endsWith(id))).toEqual([]);
}

describe("PATCH /invocations/{id}", () => {
  it("cancels what runs: its code is dead at once", async () => {
    const id = await invokeAsync(client, app, "tick");
    await untilTicking(id);
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

  it("answers whoever waits for the action", async () => {
    const waiting = invoke(client, app, "tick");
    const list = async () =>
      (await client.get("/invocations?action_name=tick&status=running")).read(invocationSchema.array());
    await expect.poll(list).toHaveLength(1);
    const [running] = await list();
    await client.patch(`/invocations/${running?.id}`, { status: "failed", output: '"so far"' });
    expect(await waiting).toMatchObject({ id: running?.id, status: "failed", output: '"so far"' });
  });

  it("settles what runs with an output", async () => {
    const id = await invokeAsync(client, app, "tick");
    await untilTicking(id);
    const output = JSON.stringify("x".repeat(100_000));
    const answer = await client.patch(`/invocations/${id}`, { status: "succeeded", output });
    expect(answer.read(invocationSchema)).toMatchObject({ status: "succeeded", output });
    expect(await readInvocation(client, id)).toMatchObject({ status: "succeeded", output });
    await expectDead(id);
  });

  it("is open to the action itself", async () => {
    expect(await invoke(client, app, "cancel-itself")).toMatchObject({ status: "failed" });
    const settled = await invoke(client, app, "settle-itself");
    expect(settled).toMatchObject({ status: "succeeded", output: "7" });
    expect(statesOf(await readEvents(client, settled.id))).toEqual(["queued", "running", "succeeded"]);
  });

  it("is refused with 409 once the invocation has finished, which stays as it is", async () => {
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

  it("lets one of many calls at once finish it", async () => {
    const id = await invokeAsync(client, app, "tick");
    await untilTicking(id);
    const outputs = Array.from({ length: 8 }, (_, number) => JSON.stringify(`${number}`.repeat(70_000)));
    // What is stored first takes longest.
    let storing = 0;
    holdUpFiles("put", () => pause(50 * (outputs.length - storing++)));
    const answers = await Promise.all(
      outputs.map((output) => client.patch(`/invocations/${id}`, { status: "succeeded", output })),
    );
    const taken = outputs.filter((_, index) => answers[index]?.status === 200);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(taken).toHaveLength(1);
    expect((await readInvocation(client, id)).output).toBe(taken[0]);
    expect(statesOf(await readEvents(client, id))).toEqual(["queued", "running", "succeeded"]);
  });

  it.each([
    ["status", { status: "running" }],
    ["status", {}],
    ["output", { status: "failed", output: "{no json" }],
  ])("names %s as what is wrong with %j", async (field, body) => {
    const { id } = await invoke(client, app, "quick");
    expect((await client.patch(`/invocations/${id}`, body)).fieldsAtFault).toEqual([field]);
  });

  it("is refused with an output of more than 4.5 MiB", async () => {
    const id = await invokeAsync(client, app, "tick");
    await untilTicking(id);
    const output = JSON.stringify("x".repeat(4.5 * 1024 * 1024));
    expect((await client.patch(`/invocations/${id}`, { status: "succeeded", output })).status).toBe(413);
    expect((await readInvocation(client, id)).status).toBe("running");
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("fails one that was lost on its way to its object, as following it does", async () => {
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

  it("knows no invocation that there is not", async () => {
    const answer = await client.patch(`/invocations/${newIdentifier()}`, { status: "failed" });
    expect(answer.status).toBe(404);
    expect(answer.error.message).toBe("invocation not found");
  });
});

describe("an action that has returned", () => {
  it("leaves nothing behind: neither timers nor what it handed to waitUntil", async () => {
    const { id, output } = await invoke(client, app, "leave");
    expect(output).toBe('"left"');
    await expectDead(id);
    expect((await untilStatus(client, id, "succeeded")).output).toBe('"left"');
  });
});
