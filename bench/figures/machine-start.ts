import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { HOST_LIMITS, startHost } from "../../packages/session-host/test/host.ts";
import { timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const BASELINE = "bare bubblewrap";
const TIMES = 20;

const run = promisify(execFile);

/** Starts of machines on a session host, beside an empty sandbox. */
export async function measureMachineStart(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [figure, prepared] of [
    ["linux: cold start of a machine", 0],
    ["linux: start of a prepared machine", 2],
  ] as const) {
    const host = await startHost({ prepared });
    const network = { access: "none", allowPrivateAddresses: false } as const;
    try {
      const timed = await timePair(TIMES, {
        berth: () => host.machines.create(randomUUID(), { limits: HOST_LIMITS, network, labels: {} }),
        direct: () => run("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]),
      });
      rows.push({ figure, baseline: BASELINE, ...timed });
    } finally {
      await host.close();
    }
  }
  return rows;
}
