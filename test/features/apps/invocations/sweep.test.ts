import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepInvocations } from "../../../../src/features/apps/invocations/sweep.ts";
import { storeValue } from "../../../../src/features/apps/invocations/value-storage.ts";
import worker from "../../../../src/index.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { type Client, newClient, operator } from "../../../api.ts";
import { EMPTY_STORAGE, readObject } from "../../../objects.ts";
import { deployApp } from "../deployed-app.ts";
import {
  invoke,
  invokeAsync,
  linesOf,
  readEvents,
  readInvocationRow,
  statesOf,
  waitForStatus,
} from "./actions.ts";
import { insertInvocationRow } from "./invocations.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let client: Client;
beforeEach(async () => {
  client = await newClient();
  // The sweep would also handle rows of other tests.
  await env.DB.prepare("DELETE FROM invocations").run();
});

/** An environment where every request to the object of one invocation fails. */
function withBroken(id: string): Env {
  const namespace = new Proxy(env.INVOCATION, {
    get(target, name) {
      if (name !== "getByName") return Reflect.get(target, name);
      return (wanted: string) => {
        const stub = target.getByName(wanted);
        if (wanted !== id) return stub;
        return new Proxy(stub, { get: () => () => Promise.reject(new Error("broken by a test")) });
      };
    },
  });
  return { ...env, INVOCATION: namespace };
}

const readInvocation = (id: string) => readObject(env.INVOCATION.getByName(id));

describe("an unfinished invocation", () => {
  it("is failed once it is old enough if its object does not have it", async () => {
    const { organizationId } = client;
    const now = Date.now();
    const lost = await insertInvocationRow({ organizationId, startedAt: now - 2 * MINUTE - 1 });
    const young = await insertInvocationRow({ organizationId, startedAt: now - MINUTE });
    await sweepInvocations(env, now);
    expect(await readInvocationRow(lost.id)).toMatchObject({
      status: "failed",
      statusReason: "The service failed before the action began",
      finishedAt: expect.any(Number),
    });
    expect(await readInvocationRow(young.id)).toEqual(young);
  });

  it("is swept by the scheduled handler", async () => {
    const row = await insertInvocationRow({ organizationId: client.organizationId, startedAt: 0 });
    await worker.scheduled(createScheduledController(), env, createExecutionContext());
    expect(await readInvocationRow(row.id)).toMatchObject({ status: "failed" });
  });

  it("continues if its object runs it", async () => {
    const app = await deployApp(client, {
      wait: "await new Promise((resolve) => setTimeout(resolve, 1e6));",
    });
    const id = await invokeAsync(client, app, "wait");
    await waitForStatus(client, id, "running");
    await sweepInvocations(env, Date.now() + DAY);
    expect(await readInvocationRow(id)).toMatchObject({ status: "running", finishedAt: null });
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("is updated from its object if the row missed its end", async () => {
    const app = await deployApp(client, { add: "return payload + 1;" });
    const { id } = await invoke(client, app, "add", { payload: "1" });
    await env.DB.prepare(
      "UPDATE invocations SET status = 'running', output = NULL, finished_at = NULL WHERE id = ?",
    )
      .bind(id)
      .run();
    await sweepInvocations(env, Date.now() + DAY);
    expect(await readInvocationRow(id)).toMatchObject({ status: "succeeded", output: "2" });
  });

  it("is failed at any age if its organization is disabled", async () => {
    const row = await insertInvocationRow({ organizationId: client.organizationId });
    // As if the request that disables it was interrupted.
    await env.DB.prepare("UPDATE organizations SET disabled_at = 1 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(row.id)).toMatchObject({ status: "failed" });
  });

  it("does not block others when it cannot be swept", async () => {
    const { organizationId } = client;
    const rows = await Promise.all(
      Array.from({ length: 5 }, () => insertInvocationRow({ organizationId, startedAt: 0 })),
    );
    const [{ id = "" } = {}, ...others] = rows;
    await sweepInvocations(withBroken(id), Date.now());
    expect(await readInvocationRow(id)).toMatchObject({ status: "queued" });
    for (const other of others) {
      expect(await readInvocationRow(other.id)).toMatchObject({ status: "failed" });
    }
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(id)).toMatchObject({ status: "failed" });
  });

  it("is swept in a later run if over the limit of one run", async () => {
    const { organizationId } = client;
    await Promise.all(
      Array.from({ length: 13 }, () => insertInvocationRow({ organizationId, startedAt: 0 })),
    );
    const unfinished = async () => {
      const row = await env.DB.prepare(
        "SELECT count(*) AS count FROM invocations WHERE status = 'queued'",
      ).first();
      return row?.count;
    };
    const limits = { unfinished: 10, logs: 10, orphans: 10 };
    await sweepInvocations(env, Date.now(), limits);
    expect(await unfinished()).toBe(3);
    await sweepInvocations(env, Date.now(), limits);
    expect(await unfinished()).toBe(0);
  });
});

describe("logs of an invocation", () => {
  it("are deleted with the storage of the object after their retention", async () => {
    const app = await deployApp(client, { talk: 'console.log("hello"); return 1;' });
    const { id } = await invoke(client, app, "talk");
    const finishedAt = (await readInvocationRow(id))?.finishedAt ?? 0;

    await sweepInvocations(env, finishedAt + 7 * DAY);
    expect(linesOf(await readEvents(client, id))).toEqual(["hello"]);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });

    await sweepInvocations(env, finishedAt + 7 * DAY + 1);
    const events = await readEvents(client, id);
    expect([linesOf(events), statesOf(events)]).toEqual([[], ["succeeded"]]);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: false, status: "succeeded", output: "1" });
    expect(await readInvocation(id)).toEqual(EMPTY_STORAGE);
  });

  it("are kept for the configured retention", async () => {
    const app = await deployApp(client, { talk: 'console.log("hello");' });
    const { id } = await invoke(client, app, "talk");
    const finishedAt = (await readInvocationRow(id))?.finishedAt ?? 0;
    const sweep = (seconds: string, after: number) =>
      sweepInvocations({ ...env, INVOCATION_LOG_RETENTION_SECONDS: seconds }, finishedAt + after);
    await sweep("600", 10 * MINUTE);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    // The object may still be finishing.
    await sweep("0", 2 * MINUTE);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    await sweep("0", 2 * MINUTE + 1);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: false });
  });

  it("do not block others when they cannot be deleted", async () => {
    const { organizationId } = client;
    const ended = { organizationId, status: "failed" as const, finishedAt: 1, logsKept: true };
    const rows = await Promise.all(Array.from({ length: 5 }, () => insertInvocationRow(ended)));
    const [{ id = "" } = {}, ...others] = rows;
    await sweepInvocations(withBroken(id), Date.now());
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    for (const other of others) expect(await readInvocationRow(other.id)).toMatchObject({ logsKept: false });
  });
});

describe("invocations of a deleted organization", () => {
  it("are deleted with their values and logs once finished", async () => {
    const app = await deployApp(client, { talk: 'console.log("hello"); return "x".repeat(100_000);' });
    const { id } = await invoke(client, app, "talk", { payload: JSON.stringify("y".repeat(100_000)) });
    const { organizationId } = client;
    const prefix = `invocations/${organizationId}/`;
    expect((await env.FILES.list({ prefix })).objects).toHaveLength(2);
    const under = await insertInvocationRow({ organizationId });
    const other = await newClient();
    const kept = await insertInvocationRow({ organizationId: other.organizationId, finishedAt: 1 });

    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(id)).toMatchObject({ status: "succeeded" });
    await operator.delete(`/admin/organizations/${organizationId}`);
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(id)).toBeUndefined();
    expect(await readInvocationRow(under.id)).toBeUndefined();
    expect((await env.FILES.list({ prefix })).objects).toEqual([]);
    expect(await readInvocation(id)).toEqual(EMPTY_STORAGE);
    expect(await readInvocationRow(kept.id)).toEqual(kept);
  });

  it("are kept until everything can be deleted", async () => {
    const orphaned = {
      organizationId: newIdentifier(),
      status: "failed" as const,
      finishedAt: 1,
      logsKept: true,
    };
    const [row, other] = [await insertInvocationRow(orphaned), await insertInvocationRow(orphaned)];
    const name = { organizationId: orphaned.organizationId, invocationId: row.id, kind: "payload" as const };
    await storeValue(env, name, JSON.stringify("x".repeat(100_000)));
    await sweepInvocations(withBroken(row.id), Date.now());
    expect(await readInvocationRow(row.id)).toMatchObject({ logsKept: true });
    expect(await readInvocationRow(other.id)).toBeUndefined();
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(row.id)).toBeUndefined();
    expect((await env.FILES.list({ prefix: `invocations/${orphaned.organizationId}/` })).objects).toEqual([]);
  });
});
