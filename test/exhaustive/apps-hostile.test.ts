import type Kernel from "@onkernel/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type DeployedApp,
  deployApp,
  followToEnd,
  invoke,
  invokeAsync,
  logLines,
  statesOf,
} from "../conformance/apps.ts";
import { useService } from "../conformance/use-service.ts";

/** The time in which other work must finish beside hostile code. */
const TIMEOUT_MS = 45_000;

/** The time limit of silent actions. A well-behaved run must finish within it. */
const SILENT_LIMIT_SECONDS = 20;

const NEVER = "await new Promise(() => {});";

/** Hostile actions and the reasons for their failure. */
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

/** Actions that end only at their time limit. */
const SILENT: Record<string, string> = {
  "never-settles": NEVER,
  "never-settles-with-a-timer": `setInterval(() => {}, 10); ${NEVER}`,
  "hands-itself-on": `waitUntil(new Promise(() => {})); ${NEVER}`,
};

const CORRUPTED = /^The code corrupted the report of its own run$/;
/** Endless output below the log limit may take until the time limit to read. */
const CORRUPTED_OR_TIMED_OUT =
  /^(The code corrupted the report of its own run|The action did not end within its \d+ seconds)$/;

/** Code that replaces what reports its run, and the reasons for its failure. */
const REPORT_TAMPERING: Record<string, [tampering: string, reason: RegExp]> = {
  "a writer of invalid reports": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    WritableStreamDefaultWriter.prototype.write = function () {
      return write.call(this, new TextEncoder().encode("no report\\n"));
    };`,
    CORRUPTED,
  ],
  "an endless writer": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    WritableStreamDefaultWriter.prototype.write = async function () {
      for (;;) await write.call(this, new TextEncoder().encode("x".repeat(1_000_000)));
    };`,
    CORRUPTED_OR_TIMED_OUT,
  ],
  "an endless writer of empty lines": [
    `const write = WritableStreamDefaultWriter.prototype.write;
    const lines = new TextEncoder().encode('{"line":{"stream":"stdout","text":""}}\\n'.repeat(10_000));
    WritableStreamDefaultWriter.prototype.write = async function () {
      for (;;) await write.call(this, lines);
    };`,
    CORRUPTED_OR_TIMED_OUT,
  ],
  "a writer that closes before the report": [
    `WritableStreamDefaultWriter.prototype.write = function () {
      return this.close();
    };`,
    /^The code ended without a result$/,
  ],
  "a Response class that throws": [
    `Object.defineProperty(globalThis, "Response", {
      value: class { constructor() { throw new Error("no answer"); } } });`,
    /^no answer$/,
  ],
};

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

const service = await useService();

beforeAll(async () => {
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

/** Retries, because a blocked local service may have closed an idle connection meanwhile. */
const newKernel = () => service.kernel({ maxRetries: 2 });

async function expectGoodRun(): Promise<void> {
  const began = performance.now();
  expect(await invoke(newKernel(), good, "work")).toMatchObject({
    status: "succeeded",
    output: '"done"',
  });
  expect(performance.now() - began).toBeLessThan(TIMEOUT_MS);
}

/** Waits for the stored failure, which can come after the event. @returns its reason. */
async function waitForFailure(kernel: Kernel, id: string): Promise<string | undefined> {
  await expect.poll(() => kernel.invocations.retrieve(id)).toMatchObject({ status: "failed" });
  return (await kernel.invocations.retrieve(id)).status_reason ?? undefined;
}

async function expectHealthy(): Promise<void> {
  const response = await fetch(`${service.baseURL}/health`);
  expect(await response.json()).toEqual({ status: "ok" });
}

describe("hostile action", () => {
  test.each(Object.entries(HOSTILE))("%s fails with its reason", async (action, [body, reason]) => {
    const kernel = newKernel();
    // Deploys each action separately, because a deployment is paused after its code was stopped.
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

  test("silent actions fail at their time limit", {
    timeout: SILENT_LIMIT_SECONDS * 1000 + 2 * TIMEOUT_MS,
  }, async () => {
    const kernel = newKernel();
    const ids = await Promise.all(
      Object.keys(SILENT).map((action) =>
        invokeAsync(kernel, silent, action, { timeout: SILENT_LIMIT_SECONDS }),
      ),
    );
    await expectGoodRun();
    // They were still running beside it.
    for (const id of ids) expect((await kernel.invocations.retrieve(id)).finished_at).toBeNull();
    for (const id of ids) {
      expect(statesOf(await followToEnd(kernel, id))).toEqual(["queued", "running", "failed"]);
      expect(await waitForFailure(kernel, id)).toBe(
        `The action did not end within its ${SILENT_LIMIT_SECONDS} seconds`,
      );
    }
  });

  test("an uncaught error does not stop the action", async () => {
    expect(await invoke(newKernel(), good, "throws-later")).toMatchObject({
      status: "succeeded",
      output: '"unharmed"',
    });
  });

  test("browsers of a failed action are ended", async () => {
    expect(await invoke(newKernel(), good, "browse")).toMatchObject({ status_reason: "enough" });
    await expect.poll(() => service.browsers()).toEqual([]);
  });
});

describe("hostile module code", () => {
  test.each(Object.entries(REPORT_TAMPERING))("%s fails", async (_, [tampering, reason]) => {
    const kernel = newKernel();
    const app = await deployApp(kernel, toSource({ any: 'console.log("line"); return 1;' }), {
      // The deployment loads the code too, and must succeed.
      head: `if (process.env.KERNEL_API_KEY !== "none") { ${tampering} }`,
    });
    const id = await invokeAsync(kernel, app, "any", { timeout: 10 });
    await expectGoodRun();
    const events = await followToEnd(kernel, id);
    expect(statesOf(events).at(-1)).toBe("failed");
    expect(await waitForFailure(kernel, id)).toMatch(reason);
    await expectHealthy();
  });

  test("an endless loop fails the deployment and invocations", async () => {
    const kernel = newKernel();
    await expect(deployApp(kernel, toSource({ any: "" }), { head: "for (;;) {}" })).rejects.toThrow(/loop/);
    const head = 'if (process.env.KERNEL_API_KEY !== "none") for (;;) {}';
    const app = await deployApp(kernel, toSource({ any: "" }), { head });
    const [created] = await Promise.all([invoke(kernel, app, "any"), expectGoodRun()]);
    expect(created).toMatchObject({ status: "failed", status_reason: expect.stringContaining("loop") });
    await expectHealthy();
  });
});
