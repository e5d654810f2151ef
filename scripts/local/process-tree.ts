import { setTimeout } from "node:timers/promises";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";

const KILL_TIMEOUT_MS = 5_000;
const KILL_RETRY_DELAY_MS = 50;

/** Identifies the processes of a service. */
export interface ProcessTreeTraits {
  /** Processes seen earlier. Their descendants also belong to the service. */
  known: readonly ProcessIdentity[];
  /** A path in the arguments of the service's processes only, such as Chrome's profile. It finds orphans. */
  marker: string;
}

/** Returns the processes of a service, parents before children. */
export function findProcessTree(table: readonly ProcessEntry[], traits: ProcessTreeTraits): ProcessEntry[] {
  const startTimes = new Map(traits.known.map(({ pid, started }) => [pid, started]));
  const tree = new Map<number, ProcessEntry>();
  for (const entry of table) {
    const isKnown = startTimes.get(entry.pid) === entry.started;
    if (isKnown || entry.command.includes(traits.marker)) tree.set(entry.pid, entry);
  }
  const childrenOf = Map.groupBy(table, (entry) => entry.parent);
  // Iterating over a Map includes entries added meanwhile.
  for (const pid of tree.keys()) {
    for (const child of childrenOf.get(pid) ?? []) tree.set(child.pid, child);
  }
  return [...tree.values()];
}

export async function endProcessTree(traits: ProcessTreeTraits): Promise<void> {
  const deadline = performance.now() + KILL_TIMEOUT_MS;
  for (;;) {
    // Read again, because a process may have started another one in the meantime.
    const tree = findProcessTree(readProcessTable(), traits);
    if (tree.length === 0) return;
    if (performance.now() > deadline) {
      console.error(`Could not kill these processes: ${tree.map(({ pid }) => pid).join(" ")}`);
      return;
    }
    for (const { pid } of tree) kill(pid);
    await setTimeout(KILL_RETRY_DELAY_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
