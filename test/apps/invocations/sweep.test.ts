import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepInvocations } from "../../../src/apps/invocations/sweep.ts";
import { storeValue } from "../../../src/apps/invocations/value-storage.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import worker from "../../../src/index.ts";
import { type Client, newClient, operator } from "../../api.ts";
import { EMPTY_STORAGE } from "../../objects.ts";
import { putApp } from "../deployed-app.ts";
import {
  invoke,
  invokeAsync,
  linesOf,
  readEvents,
  readInvocationRow,
  statesOf,
  untilStatus,
} from "./actions.ts";
import { insertInvocationRow } from "./invocations.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let client: Client;
beforeEach(async () => {
  client = await newClient();
  // What other tests have left is not looked after here.
  await env.DB.prepare("DELETE FROM invocations").run();
});

/** An environment in which one invocation's object answers nothing. */
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

function readStorage(id: string) {
  return runInDurableObject(env.INVOCATION.getByName(id), async (_, { storage }) => ({
    keys: [...(await storage.list()).keys()],
    tables: storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => name),
    alarm: await storage.getAlarm(),
  }));
}

describe("an invocation that has not finished", () => {
  it("is failed with the reason where its object does not know it, once it is old enough", async () => {
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

  it("is looked after in each scheduled run", async () => {
    const row = await insertInvocationRow({ organizationId: client.organizationId, startedAt: 0 });
    await worker.scheduled(createScheduledController(), env);
    expect(await readInvocationRow(row.id)).toMatchObject({ status: "failed" });
  });

  it("goes on where its object runs it", async () => {
    const app = await putApp(client, {
      wait: "await new Promise((resolve) => setTimeout(resolve, 1e6));",
    });
    const id = await invokeAsync(client, app, "wait");
    await untilStatus(client, id, "running");
    await sweepInvocations(env, Date.now() + DAY);
    expect(await readInvocationRow(id)).toMatchObject({ status: "running", finishedAt: null });
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("is what its object says, where the index has not heard of its end", async () => {
    const app = await putApp(client, { add: "return payload + 1;" });
    const { id } = await invoke(client, app, "add", { payload: "1" });
    await env.DB.prepare(
      "UPDATE invocations SET status = 'running', output = NULL, finished_at = NULL WHERE id = ?",
    )
      .bind(id)
      .run();
    await sweepInvocations(env, Date.now() + DAY);
    expect(await readInvocationRow(id)).toMatchObject({ status: "succeeded", output: "2" });
  });

  it("is failed where its organization is disabled, however young it is", async () => {
    const row = await insertInvocationRow({ organizationId: client.organizationId });
    // As where the operator's call that disables it broke off.
    await env.DB.prepare("UPDATE organizations SET disabled_at = 1 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(row.id)).toMatchObject({ status: "failed" });
  });

  it("holds up no other where it fails", async () => {
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

  it("is one of so many at most in a run, and its turn comes", async () => {
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

describe("the logs of an invocation", () => {
  it("are removed once they are past their time, and nothing of its object is left", async () => {
    const app = await putApp(client, { talk: 'console.log("hello"); return 1;' });
    const { id } = await invoke(client, app, "talk");
    const finishedAt = (await readInvocationRow(id))?.finishedAt ?? 0;

    await sweepInvocations(env, finishedAt + 7 * DAY);
    expect(linesOf(await readEvents(client, id))).toEqual(["hello"]);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });

    await sweepInvocations(env, finishedAt + 7 * DAY + 1);
    const events = await readEvents(client, id);
    expect([linesOf(events), statesOf(events)]).toEqual([[], ["succeeded"]]);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: false, status: "succeeded", output: "1" });
    expect(await readStorage(id)).toEqual(EMPTY_STORAGE);
  });

  it("are kept as long as the setting says", async () => {
    const app = await putApp(client, { talk: 'console.log("hello");' });
    const { id } = await invoke(client, app, "talk");
    const finishedAt = (await readInvocationRow(id))?.finishedAt ?? 0;
    const sweep = (seconds: string, after: number) =>
      sweepInvocations({ ...env, INVOCATION_LOG_RETENTION_SECONDS: seconds }, finishedAt + after);
    await sweep("600", 10 * MINUTE);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    // Its object may still be busy with its end.
    await sweep("0", 2 * MINUTE);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    await sweep("0", 2 * MINUTE + 1);
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: false });
  });

  it("hold up no others where they cannot be removed", async () => {
    const { organizationId } = client;
    const ended = { organizationId, status: "failed" as const, finishedAt: 1, logsKept: true };
    const rows = await Promise.all(Array.from({ length: 5 }, () => insertInvocationRow(ended)));
    const [{ id = "" } = {}, ...others] = rows;
    await sweepInvocations(withBroken(id), Date.now());
    expect(await readInvocationRow(id)).toMatchObject({ logsKept: true });
    for (const other of others) expect(await readInvocationRow(other.id)).toMatchObject({ logsKept: false });
  });
});

describe("what an organization that is gone has left", () => {
  it("is removed, with its values and logs, once it has ended", async () => {
    const app = await putApp(client, { talk: 'console.log("hello"); return "x".repeat(100_000);' });
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
    expect(await readStorage(id)).toEqual(EMPTY_STORAGE);
    expect(await readInvocationRow(kept.id)).toEqual(kept);
  });

  it("stays until all of it can be removed", async () => {
    const gone = {
      organizationId: newIdentifier(),
      status: "failed" as const,
      finishedAt: 1,
      logsKept: true,
    };
    const [row, other] = [await insertInvocationRow(gone), await insertInvocationRow(gone)];
    const name = { organizationId: gone.organizationId, invocationId: row.id, kind: "payload" as const };
    await storeValue(env, name, JSON.stringify("x".repeat(100_000)));
    await sweepInvocations(withBroken(row.id), Date.now());
    expect(await readInvocationRow(row.id)).toMatchObject({ logsKept: true });
    expect(await readInvocationRow(other.id)).toBeUndefined();
    await sweepInvocations(env, Date.now());
    expect(await readInvocationRow(row.id)).toBeUndefined();
    expect((await env.FILES.list({ prefix: `invocations/${gone.organizationId}/` })).objects).toEqual([]);
  });
});
