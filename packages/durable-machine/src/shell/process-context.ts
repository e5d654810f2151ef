import type { FileSystem } from "../file-system/file-system.ts";
import type { MachineFetch } from "../network.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import type { TimeSlice } from "../time-slice.ts";
import type { User, Users } from "../users.ts";
import type { FunctionDefinition, ScriptNode, StatementNode } from "./just-bash.ts";
import type { ShellLimits } from "./limits.ts";

/** What transformed scripts refer to by number. Functions move from a shell to its jobs. */
export interface ScriptRegistry {
  readonly jobs: { source: StatementNode; script: ScriptNode }[];
  readonly functions: FunctionDefinition[];
  pipes: number;
}

/** What all shells of one process share. */
export interface ProcessContext {
  /** Refuses everything once the process is dead. */
  readonly files: FileSystem;
  readonly user: User;
  readonly limits: ShellLimits;
  readonly slice: TimeSlice;
  readonly processes: ProcessTable;
  readonly registry: ScriptRegistry;
  readonly fetch: MachineFetch;
  readonly machineName: string;
  readonly users: Users;
  /** Milliseconds since the epoch. */
  readonly bootedAt: number;
}

export class DeadProcessError extends Error {
  override readonly name = "DeadProcessError";
  override readonly message = "process has ended";
}

/** The same files, until each call throws because the process is dead. */
export function mortalFiles(files: FileSystem, signal: AbortSignal): FileSystem {
  return new Proxy(files, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        signal.throwIfAborted();
        return Reflect.apply(member, target, args);
      };
    },
  });
}
