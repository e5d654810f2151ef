import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const INTERVAL_MS = 1000;
const PAGE_BYTES = 4096;

/**
 * For kernels whose control groups cannot be used: looks each second how much memory the descendants of a process
 * have.
 *
 * @returns a function that ends it.
 */
export function watchMemory({ pid }: ChildProcess, limitBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (pid !== undefined && memoryOf(pid) > limitBytes) onExceeded();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function memoryOf(root: number): number {
  const children = Map.groupBy(readProcesses(), ({ parent }) => parent);
  const found = [root];
  let bytes = 0;
  // The loop also visits what it adds.
  for (const pid of found) {
    for (const child of children.get(pid) ?? []) {
      found.push(child.pid);
      bytes += child.bytes;
    }
  }
  return bytes;
}

function readProcesses(): { pid: number; parent: number; bytes: number }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // After the name, which may contain anything: state, parent, …, and as the 22nd the pages in memory.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return [{ pid: Number(name), parent: Number(fields[1]), bytes: Number(fields[21]) * PAGE_BYTES }];
    } catch {
      // It has ended.
      return [];
    }
  });
}
