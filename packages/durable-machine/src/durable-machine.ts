import type { MachineIdentity } from "./file-system/first-files.ts";
import type { RunTransaction, Sql } from "./file-system/sql.ts";
import { SqlFileSystem } from "./file-system/sql-file-system.ts";
import type { Machine, MachineProcess, ProcessListeners, ProcessRequest, Signal } from "./machine.ts";
import type { MachineFetch } from "./network.ts";
import { type ProcessEntry, ProcessTable } from "./processes/process-table.ts";
import type { ReportError } from "./report-error.ts";
import { DEFAULT_SHELL_LIMITS, type ShellLimits } from "./shell/limits.ts";
import { ShellProcess } from "./shell/shell-process.ts";
import { TimeSlice } from "./time-slice.ts";
import type { User } from "./users.ts";

const INIT_PID = 1;

export interface DurableMachineOptions {
  /** The SQLite of a Durable Object, or of anything that takes the same calls. */
  storage: { sql: Sql; transactionSync: RunTransaction };
  identity: MachineIdentity;
  limits: MachineLimits;
  /** Sends the requests of `curl` and `wget`. */
  fetch: MachineFetch;
  /** The clock, in milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
  onError: ReportError;
}

export interface MachineLimits {
  /** What files and their names may take, in bytes. */
  fileQuotaBytes: number;
  /** What a process may write to its standard output and error together, in bytes. */
  processOutputBytes: number;
  /** How many processes run at once. */
  processes: number;
}

/** A machine of files in SQLite and a shell in JavaScript. */
export class DurableMachine implements Machine {
  readonly files: SqlFileSystem;
  readonly #options: DurableMachineOptions;
  readonly #processes: ProcessTable;
  readonly #slice = new TimeSlice();
  readonly #limits: ShellLimits;
  readonly #bootedAt: number;

  constructor(options: DurableMachineOptions) {
    const { storage, identity, limits, now = Date.now, onError } = options;
    this.#options = options;
    this.files = new SqlFileSystem({
      sql: storage.sql,
      transaction: (work) => storage.transactionSync(work),
      quotaBytes: limits.fileQuotaBytes,
      slice: this.#slice,
      now,
      identity,
      onError,
    });
    this.#processes = new ProcessTable(limits.processes);
    this.#limits = {
      ...DEFAULT_SHELL_LIMITS,
      outputBytes: limits.processOutputBytes,
      processes: limits.processes,
    };
    this.#bootedAt = now();
  }

  /** Makes what is missing. To be called before anything else. */
  open(): void {
    this.files.create();
  }

  /** Kills all processes, and refuses all further changes of files. */
  close(): void {
    for (const { pid } of this.#processes.list()) this.#processes.kill(pid, "KILL", { uid: 0 });
    this.files.close();
  }

  start(request: ProcessRequest, listeners: ProcessListeners): MachineProcess {
    const { identity, fetch } = this.#options;
    return new ShellProcess({
      request,
      listeners,
      files: this.files,
      processes: this.#processes,
      parentPid: INIT_PID,
      slice: this.#slice,
      limits: this.#limits,
      fetch,
      machineName: identity.name,
      users: identity.users,
      bootedAt: this.#bootedAt,
    });
  }

  list(): ProcessEntry[] {
    return this.#processes.list();
  }

  kill(pid: number, signal: Signal, sender: User): "killed" | "not_found" | "not_permitted" {
    return this.#processes.kill(pid, signal, sender);
  }
}
