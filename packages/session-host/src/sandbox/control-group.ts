import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits } from "../limits.ts";

const PERIOD_US = 100_000;

/** What is written to which file of a control group, by the kernel's two versions. */
interface Setting {
  file: string;
  value: string;
}

const MEMORY_CONTROLLER = "memory";

function settingsOf(limits: SandboxLimits): Record<string, { v1: Setting[]; v2: Setting[] }> {
  const memory = String(Math.round(limits.memoryBytes + limits.fileBytes));
  const quota = String(Math.round(limits.cpus * PERIOD_US));
  return {
    // Files in memory count, too.
    [MEMORY_CONTROLLER]: {
      v1: [{ file: "memory.limit_in_bytes", value: memory }],
      v2: [
        { file: "memory.max", value: memory },
        { file: "memory.swap.max", value: "0" },
        { file: "memory.oom.group", value: "0" },
      ],
    },
    pids: {
      v1: [{ file: "pids.max", value: String(limits.tasks) }],
      v2: [{ file: "pids.max", value: String(limits.tasks) }],
    },
    cpu: {
      v1: [{ file: "cpu.cfs_quota_us", value: quota }],
      v2: [{ file: "cpu.max", value: `${quota} ${PERIOD_US}` }],
    },
  };
}

/** The control group of a sandbox, with those limits that the kernel lets this user set. */
export class ControlGroup {
  readonly #folders: readonly string[];
  readonly limitsMemory: boolean;

  private constructor(folders: readonly string[], limitsMemory: boolean) {
    this.#folders = folders;
    this.limitsMemory = limitsMemory;
  }

  /** @param mount where the kernel's control groups are. @returns undefined if none can be made. */
  static create(name: string, limits: SandboxLimits, mount = "/sys/fs/cgroup"): ControlGroup | undefined {
    const isSecond = existsSync(join(mount, "cgroup.controllers"));
    const folders = new Set<string>();
    let limitsMemory = false;
    for (const [controller, { v1, v2 }] of Object.entries(settingsOf(limits))) {
      const folder = isSecond ? join(mount, name) : join(mount, controller, name);
      try {
        if (isSecond) {
          const offered = readFileSync(join(mount, "cgroup.subtree_control"), "utf8").split(/\s+/);
          if (!offered.includes(controller))
            writeFileSync(join(mount, "cgroup.subtree_control"), `+${controller}`);
        } else if (!existsSync(join(mount, controller))) continue;
        mkdirSync(folder, { recursive: true });
        folders.add(folder);
        const [first, ...others] = isSecond ? v2 : v1;
        if (first) writeFileSync(join(folder, first.file), first.value);
        for (const { file, value } of others)
          if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
        limitsMemory ||= controller === MEMORY_CONTROLLER;
      } catch {
        // Not allowed here. Limits of processes and a watch of the memory remain.
      }
    }
    return folders.size === 0 ? undefined : new ControlGroup([...folders], limitsMemory);
  }

  add(pid: number): void {
    for (const folder of this.#folders) writeFileSync(join(folder, "cgroup.procs"), String(pid));
  }

  /** The kernel removes a group only after its last process is gone. */
  async remove(): Promise<void> {
    for (const folder of this.#folders) {
      for (let tries = 0; tries < 250 && existsSync(folder); tries += 1) {
        try {
          rmdirSync(folder);
        } catch {
          await sleep(20);
        }
      }
    }
  }
}
