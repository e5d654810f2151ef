import type Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DeployedApp,
  deployApp,
  followToEnd,
  invoke,
  invokeAsync,
  logLines,
  statesOf,
} from "../conformance/apps.ts";
import { Service } from "../conformance/service.ts";

/** What is held up by code that has no end takes longer. */
const TIMEOUT_MS = 45_000;

/** The limit of what keeps silent, within which a well-behaved run is to begin and to end. */
const LIMIT_SECONDS = 20;

const NEVER = "await new Promise(() => {});";

/** Actions that come to nothing good, and the reasons that they are told to have failed for. */
const HOSTILE: Record<string, [body: string, reason: RegExp]> = {
  "endless-loop": ["while (true) {}", /blocked the event loop for \d+ ms \(an endless loop\?\)/],
  "loop-that-catches": [
    "for (;;) { try { for (;;) {} } catch {} }",
    /blocked the event loop for \d+ ms \(an endless loop\?\)/,
  ],
  recursion: ["const again = () => again(); again();", /Maximum call stack/],
  microtasks: [
    `const spin = (): Promise<void> => Promise.resolve().then(spin); void spin(); ${NEVER}`,
    /blocked the event loop/,
  ],
  "awaits-for-ever": ["for (;;) await null;", /blocked the event loop/],
  "log-flood": ['for (;;) console.log("");', /were logged|blocked the event loop/],
  "log-flood-that-waits": [
    'for (;;) { for (let n = 0; n < 1000; n++) console.log("x".repeat(100)); await new Promise((r) => setTimeout(r)); }',
    /^More than 8 MiB were logged$/,
  ],
  "long-lines": ['for (;;) console.log("x".repeat(60_000));', /^More than 8 MiB were logged$/],
  "throws-null": ["throw null;", /^null$/],
  "throws-undefined": ["throw undefined;", /^undefined$/],
  "throws-text": ['throw "words";', /^words$/],
  "throws-object": ["throw { code: 7 };", /code.*7/],
  "throws-getter": ['throw { get message() { throw new Error("ha"); } };', /cannot be described/],
  "throws-proxy": [
    'throw new Proxy(new Error(), { get() { throw new Error("ha"); } });',
    /cannot be described/,
  ],
  "throws-at-length": ['throw new Error("x".repeat(10_000_000));', /^x+…$/],
  "returns-circle": [
    "const circle: any = {}; circle.self = circle; return circle;",
    /cannot be serialized as JSON/,
  ],
  "returns-bigint": ["return 10n;", /cannot be serialized as JSON/],
  "returns-throwing-json": [
    'return { toJSON() { throw new Error("ha"); } };',
    /cannot be serialized as JSON: ha/,
  ],
  "returns-too-much": ['return "x".repeat(5 * 1024 * 1024);', /more than 4.5 MiB/],
  exits: ["process.exit(1);", /process\.exit/],
};

/** Actions that keep silent: only their time limit ends them. */
const SILENT: Record<string, string> = {
  "never-settles": NEVER,
  "never-settles-with-a-timer": `setInterval(() => {}, 10); ${NEVER}`,
  "hands-itself-on": `waitUntil(new Promise(() => {})); ${NEVER}`,
};

const BROKEN = /^The code corrupted the report of its own run$/;
/** What is written without end takes a while to read, as long as it is no more than may be logged. */
const BROKEN_OR_LATE =
  /^(The code corrupted the report of its own run|The action did not end within its \d+ seconds)$/;

/** What code puts in the place of what reports its run, as soon as it is loaded, and the reasons that it fails for. */
const MEDDLERS: Record<string, [meddling: string, reason: RegExp]> = {
  "a writer that writes something else": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    WritableStreamDefaultWriter.prototype.write = function () {
      return write.call(this, new TextEncoder().encode("no report\\n"));
    };`,
    BROKEN,
  ],
  "a writer that writes without end": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    WritableStreamDefaultWriter.prototype.write = async function () {
      for (;;) await write.call(this, new TextEncoder().encode("x".repeat(1_000_000)));
    };`,
    BROKEN_OR_LATE,
  ],
  "a writer that writes empty lines without end": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    const lines = new TextEncoder().encode('{"line":{"stream":"stdout","text":""}}\\n'.repeat(10_000));
    WritableStreamDefaultWriter.prototype.write = async function () {
      for (;;) await write.call(this, lines);
    };`,
    BROKEN_OR_LATE,
  ],
  "a writer that ends before the report": [
    `WritableStreamDefaultWriter.prototype.write = function () {
      return this.close();
    };`,
    /^The code ended without a result$/,
  ],
  "an action's class that answers nothing": [
    `Object.defineProperty(globalThis, "Response", {
      value: class { constructor() { throw new Error("no answer"); } } });`,
    /^no answer$/,
  ],
};

let service: Service;
let silent: DeployedApp;
let good: DeployedApp;

function toSource(actions: Record<string, string>): string {
  return Object.entries(actions)
    .map(
      ([name, body]) =>
        `app.action("${name}", async (context: KernelContext, payload?: any) => { ${body} });`,
    )
    .join("\n");
}

beforeAll(async () => {
  service = await Service.start();
  const kernel = service.kernel();
  silent = await deployApp(kernel, toSource(SILENT), {
    head: 'import { waitUntil } from "cloudflare:workers";',
  });
  good = await deployApp(
    kernel,
    toSource({
      work: `for (let step = 0; step < 10; step++) await new Promise((resolve) => setTimeout(resolve, 20));
        return "done";`,
      browse: `await kernel.browsers.create(); await kernel.browsers.create(); throw new Error("enough");`,
      "throws-later": `setTimeout(() => { throw new Error("nobody listens"); }, 0);
        void Promise.reject(new Error("nobody handles this"));
        await new Promise((resolve) => setTimeout(resolve, 100)); return "unharmed";`,
    }),
  );
});
afterAll(() => service.end());

/**
 * As users have it, who try again: a local service that was held up may meanwhile have closed the connection that a
 * request comes by.
 */
const newKernel = () => service.kernel({ maxRetries: 2 });

/** A well-behaved run beside whatever goes on ends as it should, and in time. */
async function expectGoodRun(): Promise<void> {
  const began = performance.now();
  expect(await invoke(newKernel(), good, "work")).toMatchObject({
    status: "succeeded",
    output: '"done"',
  });
  expect(performance.now() - began).toBeLessThan(TIMEOUT_MS);
}

/** Waits until an invocation is known to have failed, which those who follow it may hear before. @returns why. */
async function untilFailed(kernel: Kernel, id: string): Promise<string | undefined> {
  await expect.poll(() => kernel.invocations.retrieve(id)).toMatchObject({ status: "failed" });
  return (await kernel.invocations.retrieve(id)).status_reason ?? undefined;
}

async function expectHealthy(): Promise<void> {
  const response = await fetch(`${service.baseURL}/health`);
  expect(await response.json()).toEqual({ status: "ok" });
}

describe("an action that", () => {
  test.each(Object.entries(HOSTILE))("%s has failed with the reason", async (action, [body, reason]) => {
    const kernel = newKernel();
    // One each: a deployment whose code was stopped pauses.
    const hostile = await deployApp(kernel, toSource({ [action]: body }));
    const [created] = await Promise.all([invoke(kernel, hostile, action), expectGoodRun()]);
    expect(created.status).toBe("failed");
    expect(created.status_reason).toMatch(reason);
    expect(created.status_reason?.length).toBeLessThan(5000);
    expect(created.output).toBeUndefined();
    const events = await followToEnd(kernel, created.id);
    expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
    expect(logLines(events).length).toBeLessThan(1010);
    await expectHealthy();
  });

  test("keeps silent has failed at its limit", {
    timeout: LIMIT_SECONDS * 1000 + 2 * TIMEOUT_MS,
  }, async () => {
    const kernel = newKernel();
    const ids = await Promise.all(
      Object.keys(SILENT).map((action) => invokeAsync(kernel, silent, action, { timeout: LIMIT_SECONDS })),
    );
    await expectGoodRun();
    // It was not their end that let it run.
    for (const id of ids) expect((await kernel.invocations.retrieve(id)).finished_at).toBeNull();
    for (const id of ids) {
      expect(statesOf(await followToEnd(kernel, id))).toEqual(["queued", "running", "failed"]);
      expect(await untilFailed(kernel, id)).toBe(
        `The action did not end within its ${LIMIT_SECONDS} seconds`,
      );
    }
  });

  test("throws where nobody listens goes on", async () => {
    expect(await invoke(newKernel(), good, "throws-later")).toMatchObject({
      status: "succeeded",
      output: '"unharmed"',
    });
  });

  test("creates browsers and throws leaves none", async () => {
    expect(await invoke(newKernel(), good, "browse")).toMatchObject({ status_reason: "enough" });
    await expect.poll(() => service.browsers()).toEqual([]);
  });
});

describe("code that", () => {
  test.each(Object.entries(MEDDLERS))("brings %s fails", async (_, [meddling, reason]) => {
    const kernel = newKernel();
    const app = await deployApp(kernel, toSource({ any: 'console.log("line"); return 1;' }), {
      // A deployment loads it as well, and is not to be disturbed.
      head: `if (process.env.KERNEL_API_KEY !== "none") { ${meddling} }`,
    });
    const id = await invokeAsync(kernel, app, "any", { timeout: 10 });
    await expectGoodRun();
    const events = await followToEnd(kernel, id);
    expect(statesOf(events).at(-1)).toBe("failed");
    expect(await untilFailed(kernel, id)).toMatch(reason);
    await expectHealthy();
  });

  test("loops as it is loaded fails its invocations, and its deployment", async () => {
    const kernel = newKernel();
    await expect(deployApp(kernel, toSource({ any: "" }), { head: "for (;;) {}" })).rejects.toThrow(/loop/);
    const head = 'if (process.env.KERNEL_API_KEY !== "none") for (;;) {}';
    const app = await deployApp(kernel, toSource({ any: "" }), { head });
    const [created] = await Promise.all([invoke(kernel, app, "any"), expectGoodRun()]);
    expect(created).toMatchObject({ status: "failed", status_reason: expect.stringContaining("loop") });
    await expectHealthy();
  });
});
