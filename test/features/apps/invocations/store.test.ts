import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import {
  findInvocation,
  finishInvocation,
  type InvocationResult,
  listFinishedOrphans,
  listUnfinishedBefore,
  listUnfinishedOfDeployment,
  listWithLogsBefore,
  markInvocationRunning,
  markLogsDeleted,
  removeInvocations,
} from "../../../../src/features/apps/invocations/store.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import type { InvocationRow } from "../../../../src/lib/database/schema/apps.ts";
import { newClient } from "../../../api.ts";
import { insertInvocationRow } from "./invocations.ts";

const database = openDatabase(env.DB);

const SUCCEEDED: InvocationResult = {
  status: "succeeded",
  statusReason: null,
  output: "1",
  outputInFiles: false,
  finishedAt: 10,
};
const FAILED: InvocationResult = {
  status: "failed",
  statusReason: "it threw",
  output: null,
  outputInFiles: true,
  finishedAt: 20,
};

let organizationId: string;
beforeEach(() => {
  organizationId = newIdentifier();
});

const insert = (details: Partial<InvocationRow> = {}) => insertInvocationRow({ organizationId, ...details });
const find = (id: string) => findInvocation(database, { organizationId, projectId: "" }, id);

describe("an invocation row", () => {
  it("is found only in its organization", async () => {
    const details = { payload: "{}", outputInFiles: true, startedAt: 3, finishedAt: 4, logsKept: true };
    const row = await insert({ ...details, status: "failed", statusReason: "why" });
    expect(await find(row.id)).toEqual(row);
    expect(
      await findInvocation(database, { organizationId: newIdentifier(), projectId: "" }, row.id),
    ).toBeUndefined();
    expect(await find(newIdentifier())).toBeUndefined();
  });

  it("goes from queued to running to finished", async () => {
    const row = await insert();
    await markInvocationRunning(database, row.id);
    expect(await find(row.id)).toEqual({ ...row, status: "running" });
    await finishInvocation(database, row.id, SUCCEEDED);
    expect(await find(row.id)).toEqual({ ...row, ...SUCCEEDED });
  });

  it.each([SUCCEEDED, FAILED])("does not change once finished: %j", async (end) => {
    const row = await insert();
    await finishInvocation(database, row.id, end);
    await markInvocationRunning(database, row.id);
    await finishInvocation(database, row.id, { ...(end === FAILED ? SUCCEEDED : FAILED), finishedAt: 30 });
    expect(await find(row.id)).toEqual({ ...row, ...end });
  });

  it("keeps one of several concurrent results", async () => {
    const row = await insert({ status: "running" });
    const ends = Array.from({ length: 10 }, (_, index) => ({ ...SUCCEEDED, output: String(index) }));
    await Promise.all(ends.map((end) => finishInvocation(database, row.id, end)));
    expect(ends).toContainEqual({ ...SUCCEEDED, output: (await find(row.id))?.output });
  });

  it("can change without affecting other rows", async () => {
    const [row, other] = [await insert(), await insert()];
    await markInvocationRunning(database, row.id);
    await finishInvocation(database, row.id, FAILED);
    await markLogsDeleted(database, [row.id]);
    expect(await find(other.id)).toEqual(other);
  });
});

describe("maintenance queries", () => {
  it("find unfinished invocations of a deployment", async () => {
    const deploymentId = newIdentifier();
    const queued = await insert({ deploymentId });
    const running = await insert({ deploymentId, status: "running" });
    await insert({ deploymentId, status: "failed", finishedAt: 1 });
    await insert({ deploymentId: newIdentifier() });
    const found = await listUnfinishedOfDeployment(database, deploymentId);
    const expected = [queued, running].map(({ id }) => ({ id, organizationId, projectId: "" }));
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  it("find invocations unfinished for long, up to a limit", async () => {
    // Earlier than every other row in the tests.
    const [first, second, young] = [
      await insert({ startedAt: -1000 }),
      await insert({ startedAt: -999 }),
      await insert({ startedAt: -998 }),
    ];
    await insert({ startedAt: -1000, status: "succeeded", finishedAt: -999 });
    const found = async (limit: number) =>
      (await listUnfinishedBefore(database, -998, limit)).map(({ id }) => id);
    expect((await found(10)).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await found(1)).toHaveLength(1);
    for (const { id } of [first, second, young]) await finishInvocation(database, id, FAILED);
    expect(await found(10)).toEqual([]);
  });

  it("find invocations with old logs, and not again after deletion", async () => {
    const ended = { status: "failed" as const, logsKept: true };
    const ids: string[] = [];
    for (const finishedAt of [-1000, -998, -999]) ids.push((await insert({ ...ended, finishedAt })).id);
    await insert({ ...ended, finishedAt: -1000, logsKept: false });
    await insert({ startedAt: -1000, logsKept: true });
    const found = async (limit: number) =>
      (await listWithLogsBefore(database, -998, limit)).map(({ id }) => id);
    expect(await found(10)).toEqual([ids[0], ids[2]]);
    expect(await found(1)).toEqual([ids[0]]);
    await markLogsDeleted(database, [ids[0] ?? ""]);
    expect(await found(10)).toEqual([ids[2]]);
    // More than the parameters that D1 allows in a statement.
    await markLogsDeleted(database, [...Array.from({ length: 200 }, newIdentifier), ...ids]);
    expect(await found(10)).toEqual([]);
    expect(await find(ids[1] ?? "")).toMatchObject({ logsKept: false });
    await markLogsDeleted(database, []);
  });

  it("find finished invocations only of deleted organizations", async () => {
    const ended = await insert({ status: "failed", finishedAt: 1, logsKept: true });
    await insert();
    const { organizationId: living } = await newClient();
    await insert({ organizationId: living, status: "failed", finishedAt: 1 });
    const found = await listFinishedOrphans(database, 100_000);
    expect(found.filter((row) => row.organizationId === organizationId)).toEqual([
      { id: ended.id, organizationId, projectId: "", logsKept: true },
    ]);
    expect(found.filter((row) => row.organizationId === living)).toEqual([]);
    expect(await listFinishedOrphans(database, 1)).toHaveLength(1);
    await removeInvocations(database, [ended.id]);
    expect(await find(ended.id)).toBeUndefined();
  });
});
