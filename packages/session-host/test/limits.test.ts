import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessRequest } from "durable-machine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RemoteMachine } from "../src/client/remote-machine.ts";
import { hasSandboxes, startHost, type TestHost } from "./host.ts";
import { bash, machineOf, USERS } from "./programs.ts";

/** More than the agent keeps pipes in stock for. */
const MANY_PROCESSES = 40;

const CONTROL_GROUPS = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"];

describe.runIf(hasSandboxes)("machines that are used up or left", { timeout: 30_000 }, () => {
  let host: TestHost;
  let machine: RemoteMachine;
  let other: RemoteMachine;

  beforeAll(async () => {
    host = await startHost();
    machine = machineOf(host, "machine", { files: 1000, cpus: 1 });
    other = machineOf(host, "other", { cpus: 1 });
    await Promise.all([machine.open(), other.open()]);
  });

  afterAll(() => host.close());

  it("run programs when there are no more files", async () => {
    await bash(
      machine,
      "mkdir /tmp/many; for i in {1..2000}; do : > /tmp/many/$i || break; done 2> /dev/null",
    );
    for (let count = 0; count < MANY_PROCESSES; count += 1)
      expect(await bash(machine, "touch /tmp/new 2>&1 || true")).toContain("No space left");
    await bash(machine, "rm -r /tmp/many");
  });

  it("answer while another computes", async () => {
    const request: ProcessRequest = {
      argv: ["bash", "-c", "for i in {1..6}; do (while :; do :; done) & done; wait"],
      directory: "/tmp",
      environment: {},
      user: USERS.kernel,
      takesInput: false,
    };
    const hogs = await machine.processes.start(request, { onOutput: () => undefined });
    for (let count = 0; count < 5; count += 1) {
      const started = performance.now();
      expect(await bash(other, "echo fine")).toBe("fine");
      expect(performance.now() - started).toBeLessThan(5000);
    }
    await hogs.kill("KILL");
    await hogs.ended;
  });

  it("outlive many programs that together use up the memory", async () => {
    const small = machineOf(host, "small", { fileBytes: 2 ** 26, memoryBytes: 2 ** 27 });
    await small.open();
    const program = "/usr/bin/python3 -c 'x = bytearray(12_000_000); import time; time.sleep(60)'";
    await bash(small, `for i in {1..40}; do ${program} & done 2> /dev/null; wait -n; kill $(jobs -p)`);
    expect(await bash(small, "echo fine")).toBe("fine");
    await small.close();
  });

  it("keep a file whose upload breaks off", async () => {
    await machine.files.write("/tmp/kept", new Blob(["before"]).stream());
    const upload = request(`${host.url}/machines/machine/files/content?path=/tmp/kept`, {
      method: "PUT",
      headers: { authorization: `Bearer ${host.token}`, "content-length": 1_000_000 },
    });
    upload.on("error", () => undefined);
    upload.write("x".repeat(100_000));
    const unfinished = () => bash(machine, "ls /var/spool/unfinished", "root");
    await expect.poll(unfinished).not.toBe("");
    upload.destroy();
    await expect.poll(unfinished, { timeout: 5000 }).toBe("");
    expect(await bash(machine, "cat /tmp/kept")).toBe("before");
  });

  it("end processes whose clients leave while these start", async () => {
    const body = JSON.stringify({
      argv: ["sleep", "12345"],
      directory: "/tmp",
      environment: {},
      user: USERS.kernel,
      takesInput: false,
    });
    const leave = async (_: unknown, index: number) => {
      const client = new AbortController();
      const headers = { authorization: `Bearer ${host.token}` };
      const url = `${host.url}/machines/machine/processes`;
      const sent = fetch(url, { method: "POST", headers, body, signal: client.signal });
      await Promise.race([sent, sleep(index)]).catch(() => undefined);
      client.abort();
      await sent.catch(() => undefined);
    };
    await Promise.all(Array.from({ length: 40 }, leave));
    await expect.poll(() => bash(machine, "pgrep -c sleep"), { timeout: 10_000 }).toBe("0");
  });

  it("leave no control groups when their host closes", async () => {
    const groups = () =>
      CONTROL_GROUPS.filter((path) => existsSync(path))
        .flatMap((path) => readdirSync(path))
        .filter((name) => name.startsWith(`session-host-${process.pid}-`));
    const before = groups();
    const second = await startHost({ prepared: 2 });
    await machineOf(second, "machine").open();
    await second.close();
    expect(groups()).toEqual(before);
  });
});
