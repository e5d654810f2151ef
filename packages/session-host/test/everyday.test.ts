import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RemoteMachine } from "../src/client/remote-machine.ts";
import { HOST_LIMITS, hasSandboxes, startHost } from "./host.ts";

const SCRIPT = readFileSync(join(import.meta.dirname, "everyday.sh"), "utf8");

const KERNEL = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

/** Steps that need programs which this computer may lack. */
const OPTIONAL: Record<string, string[]> = {
  venv: ["python3"],
  git: ["git"],
  ffmpeg: ["ffmpeg", "ffprobe"],
  gcc: ["gcc"],
  node: ["node"],
  tar: [],
  zip: ["zip", "unzip"],
  server: ["python3", "curl"],
  pipe: [],
  fifo: [],
  devices: [],
};

function has(program: string): boolean {
  try {
    // The PATH of sandboxes, whose programs are those of this computer.
    const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
    execFileSync("/bin/sh", ["-c", `command -v ${program}`], { stdio: "ignore", env });
    return true;
  } catch {
    return false;
  }
}

it.runIf(hasSandboxes)("people's everyday programs run on a machine", async () => {
  const host = await startHost();
  try {
    const machine = new RemoteMachine({
      host,
      id: "machine",
      limits: { ...HOST_LIMITS, outputBytes: 1_000_000 },
      network: { access: "none", allowPrivateAddresses: false },
      labels: {},
    });
    await machine.open();
    const output = { stdout: "", stderr: "" };
    const { ended } = await machine.processes.start(
      {
        argv: ["bash", "-c", SCRIPT],
        directory: "/home/kernel",
        environment: {},
        user: KERNEL,
        takesInput: false,
      },
      {
        onOutput: (stream, bytes) => {
          output[stream] += Buffer.from(bytes);
        },
      },
    );
    expect(await ended, output.stderr).toEqual({ by: "exit", code: 0 });
    const steps = Object.keys(OPTIONAL).filter((step) => OPTIONAL[step]?.every(has));
    expect(output.stdout.trim().split("\n")).toEqual(steps);
  } finally {
    await host.close();
  }
});
