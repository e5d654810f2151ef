import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { endSessionsOfInvocation } from "../../../src/features/sessions/lifecycle/invocation-sessions.ts";
import { sweepSessions } from "../../../src/features/sessions/lifecycle/sweep.ts";
import { toSessionStart } from "../../../src/features/sessions/row.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { objectOf, restart, runInSession } from "../../objects.ts";
import {
  insertLaunchedBrowser,
  insertSessionRow,
  readIdempotencyKeys,
  readLaunchedBrowsers,
  readSessionRow,
  readSessionRows,
  sessionRow,
} from "../../records.ts";
import { useBlockedRuns, type WaitingRun } from "../apps/invocations/waiting-runs.ts";
import { createFullPool, endPoolsAfterAll } from "../browser-pools/pools.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();
const startRun = useBlockedRuns();

let owner: Client;
let run: WaitingRun;
let launchedBefore: number;
beforeEach(async () => {
  launchedBefore = browsers.launched.length;
  owner = await newClient();
  run = await startRun(owner);
});

async function listOfInvocation(client: Client, id: string): Promise<string[]> {
  const body = (await client.get(`/invocations/${id}/browsers`)).read(
    z.object({ browsers: z.array(sessionSchema) }),
  );
  return body.browsers.map(({ session_id }) => session_id);
}

/** Ends an invocation in the index only, as if everything else had failed. */
async function finishInIndex(id: string): Promise<void> {
  await env.DB.prepare("UPDATE invocations SET status = 'failed', finished_at = ? WHERE id = ?")
    .bind(Date.now(), id)
    .run();
}

async function expectOnlyEndedRows(): Promise<void> {
  const rows = await readSessionRows(owner.organizationId);
  expect(rows.filter(({ state }) => state !== "ended")).toEqual([]);
  const launched = new Set(browsers.launched.slice(launchedBefore));
  await expect.poll(() => [...browsers.living].filter((browserId) => launched.has(browserId))).toEqual([]);
  await expect
    .poll(async () => (await readLaunchedBrowsers()).filter(({ browserId }) => launched.has(browserId)))
    .toEqual([]);
}

describe("a session of an invocation", () => {
  it("is created by the run, with or without its invocation_id, or by the organization", async () => {
    const ids = [
      (await run.client.createSession()).session_id,
      (await run.client.createSession({ invocation_id: run.id })).session_id,
      (await owner.createSession({ invocation_id: run.id })).session_id,
    ];
    for (const id of ids) expect(await readSessionRow(id)).toMatchObject({ invocationId: run.id });
    expect(await listOfInvocation(run.client, run.id)).toEqual(ids.toReversed());
    expect(await listOfInvocation(owner, run.id)).toEqual(ids.toReversed());
  });

  it("is not created without an invocation_id", async () => {
    const { session_id } = await owner.createSession();
    expect(await readSessionRow(session_id)).toMatchObject({ invocationId: null });
    expect(await listOfInvocation(owner, run.id)).toEqual([]);
  });

  const invalid: [string, () => Promise<string>][] = [
    ["is unknown", async () => newIdentifier()],
    ["is empty", async () => ""],
    ["belongs to another organization", async () => (await startRun(await newClient())).id],
    [
      "has finished",
      async () => {
        const finished = await startRun(owner);
        await finished.finish();
        return finished.id;
      },
    ],
  ];

  it.each(invalid)("is rejected for an invocation that %s", async (_, find) => {
    const invocation_id = await find();
    const response = await owner.post("/browsers", { invocation_id }, { "idempotency-key": "key" });
    expect(response.invalidFields).toEqual(["invocation_id"]);
    expect(await readSessionRows(owner.organizationId)).toEqual([]);
    expect(await readIdempotencyKeys(owner.organizationId)).toEqual([]);
  });

  it("is rejected when a run names another invocation or a persistence id", async () => {
    const other = await startRun(owner);
    for (const invocation_id of [other.id, newIdentifier(), ""]) {
      expect((await run.client.post("/browsers", { invocation_id })).invalidFields).toEqual([
        "invocation_id",
      ]);
    }
    await insertSessionRow({ organizationId: owner.organizationId, persistenceId: "kept" });
    const response = await run.client.post("/browsers", { persistence: { id: "kept" } });
    expect(response.invalidFields).toEqual(["persistence"]);
    expect(await readSessionRows(owner.organizationId)).toHaveLength(1);
  });

  it("is rejected with a persistence id", async () => {
    await owner.createSession({ persistence: { id: "kept" } });
    const response = await owner.post("/browsers", { persistence: { id: "kept" }, invocation_id: run.id });
    expect(response.status, response.text).toBe(400);
    expect(response.text).toContain("persistence");
  });

  it("counts against the organization's limit", async () => {
    const limited = await newClient({ max_concurrent_sessions: 1 });
    const { client } = await startRun(limited);
    await client.createSession();
    expect((await client.post("/browsers")).status).toBe(429);
  });

  it("is all that the run can list", async () => {
    const [own, ended] = [await run.client.createSession({ name: "own" }), await run.client.createSession()];
    const others = await owner.createSession({ name: "others" });
    expect((await run.client.delete(`/browsers/${ended.session_id}`)).status).toBe(204);
    await owner.delete(`/browsers/${(await owner.createSession()).session_id}`);
    expect((await run.client.listSessions()).ids).toEqual([own.session_id]);
    expect((await run.client.listSessions("?status=deleted")).ids).toEqual([ended.session_id]);
    expect((await run.client.listSessions("?status=all")).ids).toEqual([ended.session_id, own.session_id]);
    for (const query of ["others", others.session_id]) {
      expect((await run.client.listSessions(`?status=all&query=${query}`)).ids).toEqual([]);
    }
    expect((await owner.listSessions("?status=all")).ids).toHaveLength(4);
  });

  it("is found by name despite other sessions of that name", async () => {
    const before = await owner.createSession({ name: "x" });
    await owner.delete(`/browsers/${before.session_id}`);
    const own = await run.client.createSession({ name: "x" });
    expect((await run.client.get("/browsers/x")).json).toMatchObject({ session_id: own.session_id });
    await run.client.delete("/browsers/x");
    await owner.createSession({ name: "x" });
    expect((await run.client.get("/browsers/x")).status).toBe(404);
    expect((await run.client.get("/browsers/x?include_deleted=true")).json).toMatchObject({
      session_id: own.session_id,
    });
  });

  it("is never leased from a pool", async () => {
    const pool = await createFullPool(owner, { size: 1 });
    const leased = (await owner.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema);
    expect(await readSessionRow(leased.session_id)).toMatchObject({ invocationId: null });
    expect((await run.client.get(`/browsers/${leased.session_id}`)).status).toBe(404);
    expect((await run.client.post(`/browser_pools/${pool.id}/acquire`, {})).status).toBe(403);
    expect((await owner.delete(`/browser_pools/${pool.id}`, { force: true })).status).toBe(204);
  });

  it("has a machine for its run and organization, but for no other run", async () => {
    const path = (id: string) => `/browsers/${id}/fs/list_files?path=/tmp`;
    const other = await startRun(owner);
    const [first, second] = [await run.client.createSession(), await run.client.createSession()];
    const third = await owner.createSession();
    expect((await run.client.get(path(first.session_id))).status).toBe(200);
    expect((await owner.get(path(second.session_id))).status).toBe(200);
    expect((await owner.get(path(third.session_id))).status).toBe(200);
    for (const client of [run.client, owner]) {
      expect((await client.get(path(first.session_id))).status).toBe(200);
      expect((await client.get(path(second.session_id))).status).toBe(200);
    }
    expect((await run.client.get(path(third.session_id))).status).toBe(404);
    for (const { session_id } of [first, second, third]) {
      expect((await other.client.get(path(session_id))).status).toBe(404);
    }
  });
});

describe("an Idempotency-Key of a run", () => {
  const headers = { "idempotency-key": "key" };

  it("identifies a session of that run only", async () => {
    const other = await startRun(owner);
    const ids = new Set<string>();
    for (const client of [owner, run.client, other.client]) {
      ids.add((await client.post("/browsers", {}, headers)).read(sessionSchema).session_id);
    }
    expect(ids.size).toBe(3);
    for (const client of [owner, run.client, other.client]) {
      const again = (await client.post("/browsers", {}, headers)).read(sessionSchema);
      expect(ids).toContain(again.session_id);
    }
    expect((await run.client.listSessions()).ids).toHaveLength(1);
  });
});

function startOf(id: string) {
  return toSessionStart(sessionRow({ id, organizationId: owner.organizationId, invocationId: run.id }));
}

describe("the end of an invocation", () => {
  it("ends its own sessions only", async () => {
    const other = await startRun(owner);
    const [first, second] = [
      await run.client.createSession(),
      await owner.createSession({ invocation_id: run.id }),
    ];
    const kept = [await owner.createSession(), await other.client.createSession()];
    await run.finish();
    for (const { session_id } of [first, second]) {
      expect(await readSessionRow(session_id)).toMatchObject({
        state: "ended",
        endReason: "invocation_ended",
      });
      const response = await owner.get(`/browsers/${session_id}?include_deleted=true`);
      expect(response.json).toMatchObject({ end_reason: "invocation_ended" });
    }
    for (const { session_id } of kept) {
      expect(await readSessionRow(session_id)).toMatchObject({ state: "active" });
      await owner.delete(`/browsers/${session_id}`);
    }
    await expectOnlyEndedRows();
  });

  it("ends a launching session and fails its create", async () => {
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const creating = [run.client.post("/browsers"), owner.post("/browsers", { invocation_id: run.id })];
    await expect.poll(() => readSessionRows(owner.organizationId)).toHaveLength(2);
    const finishing = run.finish();
    await expect.poll(async () => (await run.client.get("/browsers")).status).toBe(401);
    gate.resolve();
    await finishing;
    for (const { status } of await Promise.all(creating)) expect(status).toBe(503);
    await expectOnlyEndedRows();
  });

  it("is detected by a launching session itself", async () => {
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const creating = run.client.post("/browsers");
    await expect.poll(() => readSessionRows(owner.organizationId)).toHaveLength(1);
    await finishInIndex(run.id);
    gate.resolve();
    expect((await creating).status).toBe(503);
    await expectOnlyEndedRows();
  });

  it("prevents a reserved session from starting", async () => {
    const { id, organizationId } = await insertSessionRow({
      organizationId: owner.organizationId,
      invocationId: run.id,
      state: "starting",
    });
    await run.finish();
    expect(await readSessionRow(id)).toBeUndefined();
    const outcome = await objectOf(id).start({ ...startOf(id), organizationId });
    expect(outcome).toMatchObject({ ok: false, error: { code: "service_unavailable" } });
    await expectOnlyEndedRows();
  });

  it("undoes a start whose object has crashed", async () => {
    const { id, organizationId } = await insertSessionRow({
      organizationId: owner.organizationId,
      invocationId: run.id,
      state: "starting",
    });
    browsers.adopt("launched");
    await insertLaunchedBrowser({ browserId: "launched", sessionId: id, launchedAt: Date.now() });
    const record = { ...startOf(id), organizationId, phase: "starting", browserId: "launched" };
    await runInSession(id, ({ kv }) => kv.put("session", record));
    await restart(id);
    await run.finish();
    expect(await readSessionRow(id)).toBeUndefined();
    await expect.poll(() => browsers.living.has("launched")).toBe(false);
  });

  it("leaves no sessions behind in a race with creates", async () => {
    const creating: Promise<number>[] = [];
    const create = () => {
      const client = creating.length % 2 === 0 ? run.client : owner;
      creating.push(client.post("/browsers", { invocation_id: run.id }).then(({ status }) => status));
    };
    for (let count = 0; count < 8; count += 1) create();
    await creating[0];
    const finishing = run.finish();
    for (let count = 0; count < 8; count += 1) create();
    await finishing;
    const statuses = await Promise.all(creating);
    expect(statuses[0]).toBe(200);
    for (const status of statuses) expect([200, 400, 401, 503]).toContain(status);
    expect((await owner.post("/browsers", { invocation_id: run.id })).invalidFields).toEqual([
      "invocation_id",
    ]);
    await expect.poll(async () => (await owner.listSessions()).ids).toEqual([]);
    await expectOnlyEndedRows();
  });
});

describe("endSessionsOfInvocation", () => {
  it("can be called repeatedly and with nothing to end", async () => {
    await run.client.createSession();
    await Promise.all([endSessionsOfInvocation(env, run.id), endSessionsOfInvocation(env, run.id)]);
    await endSessionsOfInvocation(env, run.id);
    await endSessionsOfInvocation(env, newIdentifier());
    await expectOnlyEndedRows();
  });

  it("records the given reason and allows new sessions", async () => {
    const { session_id } = await run.client.createSession();
    await endSessionsOfInvocation(env, run.id, "deleted");
    expect(await readSessionRow(session_id)).toMatchObject({ state: "ended", endReason: "deleted" });
    await run.client.createSession();
    expect(await listOfInvocation(owner, run.id)).toHaveLength(1);
    await endSessionsOfInvocation(env, run.id);
  });

  it("reports a session it could not end and ends the others", async () => {
    const [failing, other] = [await run.client.createSession(), await run.client.createSession()];
    const sessions = env.BROWSER_SESSION;
    const getByName = (id: string) => {
      if (id === failing.session_id) throw new Error("it does not answer");
      return sessions.getByName(id);
    };
    env.BROWSER_SESSION = new Proxy(sessions, {
      get: (target, name) => (name === "getByName" ? getByName : Reflect.get(target, name)),
    });
    try {
      await expect(endSessionsOfInvocation(env, run.id)).rejects.toThrow("it does not answer");
    } finally {
      env.BROWSER_SESSION = sessions;
    }
    expect(await listOfInvocation(owner, run.id)).toEqual([failing.session_id]);
    expect(await readSessionRow(other.session_id)).toMatchObject({ state: "ended" });
    await endSessionsOfInvocation(env, run.id);
    await expectOnlyEndedRows();
  });
});

describe("sweepSessions", () => {
  it("ends sessions of finished and deleted invocations only", async () => {
    const deleted = await startRun(owner);
    const living = await startRun(owner);
    const orphaned = [await run.client.createSession(), await deleted.client.createSession()];
    const kept = [await living.client.createSession(), await owner.createSession()];
    await finishInIndex(run.id);
    await env.DB.prepare("DELETE FROM invocations WHERE id = ?").bind(deleted.id).run();
    await sweepSessions(env, Date.now());
    for (const { session_id } of orphaned) {
      expect(await readSessionRow(session_id)).toMatchObject({
        state: "ended",
        endReason: "invocation_ended",
      });
    }
    for (const { session_id } of kept) {
      expect(await readSessionRow(session_id)).toMatchObject({ state: "active" });
      await owner.delete(`/browsers/${session_id}`);
    }
  });
});
