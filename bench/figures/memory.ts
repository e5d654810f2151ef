import { readFileSync } from "node:fs";
import type Kernel from "@onkernel/sdk";
import { type ProcessEntry, readProcessTable } from "../../scripts/local/process-table.ts";

const SESSIONS = 1000;
const CONCURRENCY = 4;
const REPORT_EVERY = 100;

const WARM_UP_SESSIONS = 100;

/** Creates and ends sessions, and prints the memory of the local runtime. Linux only. */
export async function measureMemory(kernel: Kernel): Promise<void> {
  let started = 0;
  let ended = 0;
  let warm = 0;
  const worker = async () => {
    while (started++ < SESSIONS) {
      const { session_id } = await kernel.browsers.create();
      await kernel.browsers.deleteByID(session_id);
      ended += 1;
      if (ended === WARM_UP_SESSIONS) warm = runtimeMebibytes();
      if (ended % REPORT_EVERY === 0) console.log(`  ${ended} sessions: ${runtimeMebibytes()} MiB`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const growth = runtimeMebibytes() - warm;
  console.log(`  Growth after the first ${WARM_UP_SESSIONS} sessions: ${growth} MiB (target: 50)`);
}

/** Resident memory of the runtimes below this process. */
function runtimeMebibytes(): number {
  const table = readProcessTable();
  const own = descendants(process.pid, table).filter(({ command }) => command.includes("workerd"));
  const kibibytes = own.map(({ pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return Math.round(kibibytes.reduce((sum, size) => sum + size, 0) / 1024);
}

function descendants(pid: number, table: readonly ProcessEntry[]): ProcessEntry[] {
  const children = table.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendants(child.pid, table)]);
}
