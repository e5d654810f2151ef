import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessRequest } from "durable-machine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HostError, type RemoteMachine } from "../src/client/remote-machine.ts";
import { HAS_USERS } from "../src/server/index.ts";
import { hasSandboxes, startHost, type TestHost } from "./host.ts";
import { bash, machineOf, run, USERS } from "./programs.ts";

const PROGRAM = readFileSync(join(import.meta.dirname, "hostile-agent.py"), "utf8");
const PYTHON: [string, ...string[]] = ["/usr/bin/python3", "-c", PROGRAM];

/** Longer than the host takes for an answer, also on a busy computer. */
const PATIENCE_MS = 1000;

/** What the client is told, by what the sandbox's root does in place of the agent. */
const MODES: Record<string, string> = {
  garbage: "machine_ended",
  pings: "no answer",
  goaway: "machine_ended",
  reset: "agent_failed",
  status: "agent_failed",
  endless: "broken",
};

describe.runIf(hasSandboxes && HAS_USERS)("a program in the agent's place", { timeout: 60_000 }, () => {
  let host: TestHost;
  let other: RemoteMachine;

  beforeAll(async () => {
    host = await startHost();
    other = await open("other");
  });

  afterAll(() => host.close());

  async function open(id: string): Promise<RemoteMachine> {
    const machine = machineOf(host, id);
    await machine.open();
    return machine;
  }

  /** The code of the first request that fails. The agent may have read one, and stopped before its answer. */
  async function firstFailure(machine: RemoteMachine, attempts: number): Promise<string> {
    let code: string | undefined;
    for (let unanswered = 0; code === undefined && unanswered < attempts; ) {
      const answer = machine.files.list("/").catch((error: unknown) => {
        code ??= error instanceof HostError ? error.code : "broken";
      });
      if (await Promise.race([answer.then(() => false), sleep(PATIENCE_MS, true)])) unanswered += 1;
    }
    return code ?? "no answer";
  }

  it.each(Object.entries(MODES))("that sends %s does not harm the host", async (mode, code) => {
    const machine = await open(mode);
    const request: ProcessRequest = {
      argv: [...PYTHON, mode],
      directory: "/",
      environment: {},
      user: USERS.root,
      takesInput: false,
    };
    // Whether it is answered depends on when the agent stops.
    void machine.processes.start(request, { onOutput: () => undefined }).catch(() => undefined);
    expect(await firstFailure(machine, code === "no answer" ? 3 : 40)).toBe(code);
    expect(await bash(other, "echo fine")).toBe("fine");
    await machine.close();
    await expect(machine.files.list("/")).rejects.toMatchObject({ status: 410, code: "machine_ended" });
  });

  it("does not make the host read errors without end", async () => {
    const machine = await open("errors");
    const { output } = await run(machine, [...PYTHON, "errors"], { user: "root" });
    expect(output).toBe("less than 4 MiB\n");
  });

  it.each(["kill -KILL 2", "kill -KILL -1"])("ends its own machine by: %s", async (script) => {
    const machine = await open(script.replaceAll(" ", "_"));
    await bash(machine, `${script}; sleep 10`, "root").catch(() => undefined);
    await expect(machine.files.list("/")).rejects.toMatchObject({ status: 410, code: "machine_ended" });
  });
});
