import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { invocationSchema } from "../../../src/apps/invocations/schema.ts";
import { pause } from "../../../src/common/concurrency.ts";
import type { AppRow, InvocationRow } from "../../../src/database/schema/apps.ts";
import { type Client, newClient } from "../../api.ts";
import { passTime } from "../../objects.ts";
import { putApp } from "../deployed-app.ts";
import { useHeldUpFiles } from "../held-up-files.ts";
import {
  invoke,
  invokeAsync,
  readEvents,
  readInvocation,
  runInvocationAlarm,
  statesOf,
  untilStatus,
} from "./actions.ts";
import { insertInvocationRow } from "./invocations.ts";

/** Long enough for whoever does not wait to go on. */
const LISTENING_MS = 300;

const real = { DB: env.DB, INVOCATION: env.INVOCATION };
const holdUpFiles = useHeldUpFiles();

let client: Client;
let app: AppRow;
beforeAll(async () => {
  client = await newClient();
  app = await putApp(client, {
    quick: "return 1;",
    large: 'return "x".repeat(100_000);',
    wait: "await new Promise(() => {});",
  });
});
beforeEach(() => {
  Object.assign(env, real);
});
afterEach(() => {
  Object.assign(env, real);
  vi.useRealTimers();
});

/** A row as it is before its invocation gets to its object. */
function insertRow(actionName: string): Promise<InvocationRow> {
  const { organizationId } = client;
  const { name: appName, deploymentId } = app;
  return insertInvocationRow({ organizationId, appName, actionName, deploymentId, logsKept: true });
}

function start(row: InvocationRow) {
  const start = { row, envVars: null, origin: "https://berth.test", isAwaited: false, timeoutMs: 60_000 };
  return env.INVOCATION.getByName(row.id).start(start);
}

/** Makes calls of objects' `start` go as a test says. */
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

describe("an invocation that is on its way to its object", () => {
  it("is followed from its first state on", async () => {
    const row = await insertRow("quick");
    const following = readEvents(client, row.id);
    await pause(LISTENING_MS);
    await start(row);
    expect(statesOf(await following)).toEqual(["queued", "running", "succeeded"]);
  });

  it("is cancelled once it is there", async () => {
    const row = await insertRow("wait");
    const changing = client.patch(`/invocations/${row.id}`, { status: "failed" });
    await pause(LISTENING_MS);
    await start(row);
    expect((await changing).read(invocationSchema)).toMatchObject({ status_reason: "Cancelled by a call" });
  });

  it("is begun once, also where the answer to that is lost, and its caller is told how it ended", async () => {
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

  it("has failed where the way stays broken", async () => {
    interceptStart(() => Promise.reject(new Error("Network connection lost.")));
    expect(await invoke(client, app, "quick")).toMatchObject({
      status: "failed",
      status_reason: "The service failed before the action began",
    });
  });
});

describe("the payload of an invocation whose row is in doubt", () => {
  it("stays where it is", async () => {
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
  it("is told when the index knows it", async () => {
    const gate = Promise.withResolvers<void>();
    const updating = beforeEnd(/^update "invocations" set "status" = \?, "status_reason"/i, gate.promise);
    const id = await invokeAsync(client, app, "quick");
    const following = readEvents(client, id);
    let isTold = false;
    void following.then(() => {
      isTold = true;
    });
    await updating;
    await pause(LISTENING_MS);
    expect(isTold).toBe(false);
    gate.resolve();
    const last = (await following).at(-1);
    expect(last).toMatchObject({ event: "invocation_state", invocation: await readInvocation(client, id) });
    expect(last).toMatchObject({ invocation: { status: "succeeded" } });
  });

  it("is in time where only keeping the output takes longer", async () => {
    const { id, release } = await invokeWithoutStoring();
    passTime(20_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    await untilStatus(client, id, "succeeded");
  });

  it("comes all the same where the output cannot be kept", async () => {
    const { id, release } = await invokeWithoutStoring();
    passTime(40_000);
    expect(await runInvocationAlarm(id)).toBe(true);
    release();
    expect((await untilStatus(client, id, "failed")).status_reason).toBe(
      "The service could not store the result of the action",
    );
  });
});

/** An invocation whose action has ended, and whose output is not stored before that is released. */
async function invokeWithoutStoring(): Promise<{ id: string; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  const storing = Promise.withResolvers<void>();
  holdUpFiles("put", async (key) => {
    if (!key.endsWith("output.json")) return;
    storing.resolve();
    await gate.promise;
  });
  const id = await invokeAsync(client, app, "large", { async_timeout_seconds: 10 });
  await storing.promise;
  return { id, release: gate.resolve };
}

/** Holds up the first statement of that kind. @returns when that has come. */
function beforeEnd(kind: RegExp, gate: Promise<void>): Promise<void> {
  const come = Promise.withResolvers<void>();
  interceptStatements(kind, async (run) => {
    come.resolve();
    await gate;
    return run();
  });
  return come.promise;
}

/** Loses the answer to statements of a kind, which are carried out. */
function failAfter(kind: RegExp): void {
  interceptStatements(kind, async (run) => {
    await run();
    throw new Error("D1_ERROR: Network connection lost.");
  });
}

function interceptStatements(kind: RegExp, intercept: (run: () => Promise<unknown>) => Promise<unknown>) {
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        return (...options: unknown[]) => intercept(() => Reflect.apply(value, target, options));
      },
    });
  env.DB = new Proxy(real.DB, {
    get(database, name) {
      if (name === "prepare") {
        return (query: string) => {
          const statement = database.prepare(query);
          return kind.test(query) ? wrap(statement) : statement;
        };
      }
      const value = Reflect.get(database, name);
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
}
