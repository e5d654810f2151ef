import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { invocationSchema } from "../../../../src/features/apps/invocations/schema.ts";
import { pause } from "../../../../src/lib/common/concurrency.ts";
import type { InvocationRow } from "../../../../src/lib/database/schema/apps.ts";
import { newClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { useDelayedFiles } from "../delayed-files.ts";
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
import { insertInvocationRow } from "./invocations.ts";

/** Long enough for code that does not wait to continue. */
const GRACE_MS = 300;

const real = { DB: env.DB, INVOCATION: env.INVOCATION };
const delayFiles = useDelayedFiles();
const client = await newClient();
const app = await deployApp(client, {
  quick: "return 1;",
  large: 'return "x".repeat(100_000);',
  wait: "await new Promise(() => {});",
});
beforeEach(() => {
  Object.assign(env, real);
});
afterEach(() => {
  Object.assign(env, real);
});

function insertRow(actionName: string): Promise<InvocationRow> {
  const { organizationId } = client;
  const { name: appName, deploymentId } = app;
  return insertInvocationRow({ organizationId, appName, actionName, deploymentId, logsKept: true });
}

function start(row: InvocationRow) {
  const start = { row, envVars: null, origin: "https://berth.test", isAwaited: false, timeoutMs: 60_000 };
  return env.INVOCATION.getByName(row.id).start(start);
}

function interceptStart(intercept: (call: () => Promise<unknown>) => Promise<unknown>): void {
  env.INVOCATION = new Proxy(real.INVOCATION, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name);
      return (id: string) => {
        const stub = namespace.getByName(id);
        const started: typeof stub.start = (...options) =>
          intercept(() => stub.start(...options)) as ReturnType<typeof stub.start>;
        return new Proxy(stub, {
          get: (target, method) => (method === "start" ? started : Reflect.get(target, method)),
        });
      };
    },
  });
}

describe("an invocation that has not reached its object", () => {
  it("streams events from its first state on", async () => {
    const row = await insertRow("quick");
    const following = readEvents(client, row.id);
    await pause(GRACE_MS);
    await start(row);
    expect(statesOf(await following)).toEqual(["queued", "running", "succeeded"]);
  });

  it("is cancelled once it reaches its object", async () => {
    const row = await insertRow("wait");
    const changing = client.patch(`/invocations/${row.id}`, { status: "failed" });
    await pause(GRACE_MS);
    await start(row);
    expect((await changing).read(invocationSchema)).toMatchObject({ status_reason: "Cancelled by a call" });
  });

  it("starts once even if the response of the start is lost", async () => {
    let starts = 0;
    interceptStart(async (call) => {
      starts += 1;
      const started = call();
      if (starts > 1) return started;
      void started.catch(() => undefined);
      throw new Error("Network connection lost.");
    });
    const ended = await invoke(client, app, "quick");
    expect(ended).toMatchObject({ status: "succeeded", output: "1" });
    expect(starts).toBe(2);
    expect(statesOf(await readEvents(client, ended.id))).toEqual(["queued", "running", "succeeded"]);
  });

  it("fails if every attempt to start it fails", async () => {
    interceptStart(() => Promise.reject(new Error("Network connection lost.")));
    expect(await invoke(client, app, "quick")).toMatchObject({
      status: "failed",
      status_reason: "The service failed before the action began",
    });
  });
});

describe("the payload of an invocation", () => {
  it("is kept when the insert of the row may have succeeded", async () => {
    const payload = JSON.stringify("x".repeat(100_000));
    failAfter(/^insert into "invocations"/i);
    const body = { app_name: app.name, version: app.version, action_name: "quick", payload };
    expect((await client.post("/invocations", body)).status).toBe(503);
    Object.assign(env, real);
    const [{ id } = { id: "" }] = (await client.get("/invocations?status=queued")).read(
      invocationSchema.array(),
    );
    expect((await readInvocation(client, id)).payload).toBe(payload);
  });
});

describe("the end of an invocation", () => {
  it("is reported after the row is updated", async () => {
    const gate = Promise.withResolvers<void>();
    const updating = delayStatement(
      /^update "invocations" set "status" = \?, "status_reason"/i,
      gate.promise,
    );
    const id = await invokeAsync(client, app, "quick");
    const following = readEvents(client, id);
    let isReported = false;
    void following.then(() => {
      isReported = true;
    });
    await updating;
    await pause(GRACE_MS);
    expect(isReported).toBe(false);
    gate.resolve();
    const last = (await following).at(-1);
    expect(last).toMatchObject({ event: "invocation_state", invocation: await readInvocation(client, id) });
    expect(last).toMatchObject({ invocation: { status: "succeeded" } });
  });

  it("meets the timeout when only storing the output takes longer", async () => {
    const { id, release } = await invokeWithoutStoring();
    advanceTime(20_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    await waitForStatus(client, id, "succeeded");
  });

  it("is a failure when the output cannot be stored in time", async () => {
    const { id, release } = await invokeWithoutStoring();
    advanceTime(40_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    expect((await waitForStatus(client, id, "failed")).status_reason).toBe(
      "The service could not store the result of the action",
    );
  });
});

async function invokeWithoutStoring(): Promise<{ id: string; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  const storing = Promise.withResolvers<void>();
  delayFiles("put", async (key) => {
    if (!key.endsWith("output.json")) return;
    storing.resolve();
    await gate.promise;
  });
  const id = await invokeAsync(client, app, "large", { async_timeout_seconds: 10 });
  await storing.promise;
  return { id, release: gate.resolve };
}

/** Delays statements of a kind. @returns a promise that resolves when the first is sent. */
function delayStatement(kind: RegExp, gate: Promise<void>): Promise<void> {
  const sent = Promise.withResolvers<void>();
  interceptStatements(kind, async (run) => {
    sent.resolve();
    await gate;
    return run();
  });
  return sent.promise;
}

/** Executes statements of a kind but loses their results. */
function failAfter(kind: RegExp): void {
  interceptStatements(kind, async (run) => {
    await run();
    throw new Error("D1_ERROR: Network connection lost.");
  });
}

/** Also in batches, which are intercepted as a whole. */
function interceptStatements(kind: RegExp, intercept: (run: () => Promise<unknown>) => Promise<unknown>) {
  const originals = new Map<D1PreparedStatement, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        return (...options: unknown[]) => intercept(() => Reflect.apply(value, target, options));
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  env.DB = new Proxy(real.DB, {
    get(database, name) {
      if (name === "prepare") {
        return (query: string) => {
          const statement = database.prepare(query);
          return kind.test(query) ? wrap(statement) : statement;
        };
      }
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const run = () => database.batch(statements.map((each) => originals.get(each) ?? each));
          return statements.some((each) => originals.has(each)) ? intercept(run) : run();
        };
      }
      const value = Reflect.get(database, name);
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
}
