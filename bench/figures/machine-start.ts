import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { HOST_LIMITS, startHost } from "../../packages/session-host/test/host.ts";
import { pairOf, time } from "../samples.ts";
import type { Row } from "../table.ts";

const BASELINE = "bare bubblewrap";
const TIMES = 20;

/** Longer than preparing the next machine takes. */
const PAUSE_MS = 1000;

const run = promisify(execFile);

/** Starts of machines on a session host, beside an empty sandbox. */
export async function measureMachineStart(): Promise<Row[]> {
  return [
    { figure: "linux: cold start of a machine", ...(await measureStarts(0)) },
    { figure: "linux: start of a prepared machine", ...(await measureStarts(1)) },
  ];
}

async function measureStarts(prepared: number) {
  const host = await startHost({ prepared });
  const request = {
    limits: HOST_LIMITS,
    network: { access: "none", allowPrivateAddresses: false } as const,
    labels: {},
  };
  const [starts, direct]: [number[], number[]] = [[], []];
  try {
    // The first one tells the host what to prepare.
    await host.machines.create(randomUUID(), request);
    for (let n = 0; n < TIMES; n += 1) {
      await setTimeout(PAUSE_MS);
      starts.push(await time(() => host.machines.create(randomUUID(), request)));
      direct.push(await time(() => run("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"])));
    }
  } finally {
    await host.close();
  }
  return { baseline: BASELINE, ...pairOf(starts, direct) };
}
