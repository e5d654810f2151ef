import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { HostError, RemoteMachine } from "session-host/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOST_LIMITS, hasSandboxes } from "../../packages/session-host/test/host.ts";
import { HostProgram } from "../../packages/session-host/test/host-program.ts";

const MACHINES = 30;

const DURATION_MS = Number(process.env.SOAK_SECONDS ?? 300) * 1000;

const MEBIBYTE = 2 ** 20;

const LIMITS = {
  ...HOST_LIMITS,
  fileBytes: 32 * MEBIBYTE,
  memoryBytes: 256 * MEBIBYTE,
  outputBytes: MEBIBYTE,
};

const KERNEL = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };
const ROOT = { name: "root", uid: 0, gid: 0, home: "/root" };

/** A machine with what it has said that it wrote. */
class UsedMachine {
  readonly machine: RemoteMachine;
  readonly written = new Map<string, string>();
  readonly name: string;
  wasKilled = false;

  constructor(host: HostProgram, number: number) {
    this.name = `machine-${number}`;
    this.machine = new RemoteMachine({
      host,
      id: this.name,
      limits: LIMITS,
      network: { access: "none", allowPrivateAddresses: false },
      labels: {},
    });
  }

  async run(script: string, user = KERNEL): Promise<string> {
    let output = "";
    const { ended } = await this.machine.processes.start(
      { argv: ["bash", "-c", script], directory: "/tmp", environment: {}, user, takesInput: false },
      {
        onOutput: (_, bytes) => {
          output += Buffer.from(bytes);
        },
      },
    );
    await ended;
    return output;
  }

  /** One of the things that a client does. */
  async use(turn: number): Promise<void> {
    const text = `${this.name} ${turn}`;
    if (turn % 4 === 0) {
      const path = `/home/kernel/file-${turn % 40}`;
      this.written.delete(path);
      await this.machine.files.write(path, new Blob([text]).stream());
      this.written.set(path, text);
    } else if (turn % 4 === 1) {
      const output = await this.run(
        `echo ${text}; cat /home/kernel/file-* 2>/dev/null | grep -v "^${this.name} " | head -3`,
      );
      if (!this.wasKilled) expect(output.startsWith(`${text}\n`) || output === "").toBe(true);
      expect(output.split("\n").filter((line) => line !== "" && !line.startsWith(`${this.name} `))).toEqual(
        [],
      );
    } else if (turn % 4 === 2) {
      // A client that leaves: its process ends with the connection.
      await this.machine.processes
        .start(
          { argv: ["sleep", "1000"], directory: "/", environment: {}, user: KERNEL, takesInput: false },
          { onOutput: () => undefined },
        )
        .then((process) => process.kill("KILL"));
    } else {
      for (const [path, expected] of this.written) {
        const { body } = await this.machine.files.read(path);
        expect(await new Response(body).text()).toBe(expected);
      }
    }
  }
}

function processesWith(text: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  }).length;
}

describe.runIf(hasSandboxes)("a session host", () => {
  const host = new HostProgram();
  beforeAll(() => host.start("--max-machines", String(2 * MACHINES), "--prepared", "0"));
  afterAll(() => host.end());

  test("serves 30 machines, some of which are killed, and leaves nothing", {
    timeout: DURATION_MS + 240_000,
  }, async () => {
    let number = 0;
    const used: UsedMachine[] = [];
    const open = async (index: number) => {
      const machine = new UsedMachine(host, number++);
      await machine.machine.open();
      used[index] = machine;
    };
    for (let index = 0; index < MACHINES; index += 1) await open(index);
    const endsAt = Date.now() + DURATION_MS;
    let turns = 0;
    let killed = 0;
    const client = async (index: number) => {
      for (let turn = 0; Date.now() < endsAt; turn += 1) {
        const machine = used[index];
        if (machine === undefined) throw new Error("no machine");
        try {
          await machine.use(turn);
          turns += 1;
        } catch (error) {
          // Only what was killed may be lost, and it says so.
          if (!machine.wasKilled) throw error;
          // A transfer that broke off.
          if (!(error instanceof HostError)) continue;
          expect(["machine_ended", "machine_not_found"]).toContain(error.code);
          await open(index);
        }
        await setTimeout(20);
      }
    };
    const killer = async () => {
      while (Date.now() < endsAt - 2000) {
        await setTimeout(2000);
        const victim = used[killed % MACHINES];
        if (victim === undefined || victim.wasKilled) continue;
        victim.wasKilled = true;
        killed += 1;
        await victim.run("kill -9 2", ROOT).catch(() => undefined);
      }
    };
    await Promise.all([...used.keys()].map(client).concat(killer()));
    for (const { machine, written, wasKilled } of used) {
      if (wasKilled) continue;
      for (const [path, expected] of written)
        expect(await new Response((await machine.files.read(path)).body).text()).toBe(expected);
    }
    console.log(`${turns} turns, ${killed} machines killed, ${number} machines`);
    await Promise.all(used.map(({ machine }) => machine.close().catch(() => undefined)));
    expect(await host.machines()).toEqual([]);
    const folder = host.folder;
    await expect.poll(() => processesWith(`${folder}/`)).toBeLessThanOrEqual(1);
    await host.signal("SIGTERM");
    expect(await host.exited()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
