import { setTimeout } from "node:timers/promises";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";

const KILL_DEADLINE_MS = 5_000;
const KILL_PAUSE_MS = 50;

/** What tells a service's processes from all others of the machine. */
export interface FamilyTraits {
  /** Members seen before; they and all that descends from them belong. */
  known: readonly ProcessIdentity[];
  /**
   * A path that no other process names in its arguments. Chrome names the folder of its profile there, which
   * finds a Chrome whose parent died before anybody saw the two together.
   */
  marker: string;
}

/** The processes that belong to a service, parents before their children. */
export function findFamily(table: readonly ProcessEntry[], traits: FamilyTraits): ProcessEntry[] {
  const knownStart = new Map(traits.known.map(({ pid, started }) => [pid, started]));
  const family = new Map<number, ProcessEntry>();
  for (const entry of table) {
    const isKnown = knownStart.get(entry.pid) === entry.started;
    if (isKnown || entry.command.includes(traits.marker)) family.set(entry.pid, entry);
  }
  const childrenOf = Map.groupBy(table, (entry) => entry.parent);
  // A Map visits what is added to it while it is walked.
  for (const pid of family.keys()) {
    for (const child of childrenOf.get(pid) ?? []) family.set(child.pid, child);
  }
  return [...family.values()];
}

/** Kills every process of the family; done when none is left. */
export async function endFamily(traits: FamilyTraits): Promise<void> {
  const deadline = performance.now() + KILL_DEADLINE_MS;
  for (;;) {
    // Again and again: one that was just starting another appears with the next look.
    const family = findFamily(readProcessTable(), traits);
    if (family.length === 0) return;
    if (performance.now() > deadline) {
      console.error(`These processes do not end: ${family.map(({ pid }) => pid).join(" ")}`);
      return;
    }
    for (const { pid } of family) kill(pid);
    await setTimeout(KILL_PAUSE_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself since the table was read.
  }
}
