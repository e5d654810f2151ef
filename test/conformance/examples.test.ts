import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Action } from "../../examples/computer-use/actions.ts";
import { type AgentOptions, runAgent, StepLimitError } from "../../examples/computer-use/agent.ts";
import type { Organization } from "./service-client.ts";
import { SharedService } from "./shared-service.ts";

const ROOT = join(import.meta.dirname, "../..");

const service = await SharedService.use();

interface Example {
  child: ChildProcess;
  output: () => string;
  waitForOutput: (text: string) => Promise<void>;
  exitCode: Promise<number | null>;
}

function startExample(path: string, { apiKey }: Organization): Example {
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", path], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KERNEL_BASE_URL: service.baseURL, KERNEL_API_KEY: apiKey },
  });
  let output = "";
  const waiters: { text: string; resolve: () => void }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      for (const { text, resolve } of waiters) if (output.includes(text)) resolve();
    });
  }
  const exitCode = once(child, "close").then(() => child.exitCode);
  const ended = exitCode.then(() => {
    throw new Error(`The example exited before it printed the expected text:\n${output}`);
  });
  ended.catch(() => {});
  return {
    child,
    output: () => output,
    waitForOutput: (text) => {
      const found = new Promise<void>((resolve) => {
        if (output.includes(text)) resolve();
        else waiters.push({ text, resolve });
      });
      return Promise.race([found, ended]);
    },
    exitCode,
  };
}

/** Returns for each session of the organization whether it has ended. */
async function areSessionsEnded({ apiKey }: Organization): Promise<boolean[]> {
  const sessions = await Array.fromAsync(service.kernel({ apiKey }).browsers.list({ status: "all" }));
  return sessions.map(({ deleted_at }) => deleted_at !== undefined);
}

describe("examples/computer-use", () => {
  const RUN = "examples/computer-use/run.ts";

  test("fills in a form, prints each step, and deletes its session", async () => {
    const organization = await service.createOrganization();
    const example = startExample(RUN, organization);
    expect(await example.exitCode, example.output()).toBe(0);
    expect(example.output()).toContain(`${service.baseURL}/live/`);
    expect(example.output()).toMatch(/^ *\d+ {2}click x=280 y=120 button="left"$/m);
    expect(example.output()).toContain(
      'Received form: {"ship":"Berth of Venus ⚓","captain":"Ada","length":"75","agreed":"on"}',
    );
    expect(await areSessionsEnded(organization)).toEqual([true]);
  });

  test("deletes its session when interrupted", async () => {
    const organization = await service.createOrganization();
    const example = startExample(RUN, organization);
    await example.waitForOutput(" 1  ");
    expect(await areSessionsEnded(organization)).toEqual([false]);
    example.child.kill("SIGINT");
    expect(await example.exitCode, example.output()).toBe(1);
    expect(example.output()).toContain("Stopped.");
    expect(await areSessionsEnded(organization)).toEqual([true]);
  });

  /** Runs the agent with a model that always returns the same action. */
  async function runWith(action: Action, options: Partial<AgentOptions> = {}) {
    const kernel = service.kernel();
    const { session_id } = await kernel.browsers.create({ viewport: { width: 1024, height: 768 } });
    const steps: Action[] = [];
    try {
      const result = runAgent({
        kernel,
        sessionId: session_id,
        model: { nextAction: async () => action },
        task: "",
        maxSteps: 3,
        signal: new AbortController().signal,
        onStep: (_, step) => steps.push(step),
        ...options,
      });
      return { steps, outcome: await Promise.allSettled([result]).then(([outcome]) => outcome) };
    } finally {
      await kernel.browsers.deleteByID(session_id);
    }
  }

  test("stops at the step limit", async () => {
    const { steps, outcome } = await runWith({ type: "move", x: 1, y: 1 });
    expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StepLimitError) });
    expect(steps).toHaveLength(3);
  });

  test("stops at the first action that the service rejects", async () => {
    const { steps, outcome } = await runWith({ type: "click", x: 1024, y: 1, button: "left" });
    expect(outcome).toMatchObject({ status: "rejected", reason: { status: 400 } });
    expect(steps).toHaveLength(1);
  });

  test("returns the final action of the model", async () => {
    const done = { type: "done", success: false, message: "There is no such form." } as const;
    expect(await runWith(done)).toEqual({ steps: [done], outcome: { status: "fulfilled", value: done } });
  });

  test("stops during a wait when aborted", async () => {
    const stop = new AbortController();
    const { outcome } = await runWith(
      { type: "wait", milliseconds: 30_000 },
      { signal: stop.signal, onStep: () => setImmediate(() => stop.abort()) },
    );
    expect(outcome).toMatchObject({ status: "rejected", reason: { name: "AbortError" } });
  });
});
