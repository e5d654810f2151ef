import { FileSystem } from "./file-system/file-system.ts";
import type { MachineIdentity } from "./file-system/first-files.ts";
import type { RunTransaction, Sql } from "./file-system/sql.ts";
import type { Machine, MachineProcess, MachineProcesses } from "./machine.ts";
import type { MachineFetch } from "./network.ts";
import type { ProcessListeners, ProcessRequest } from "./processes/process.ts";
import { ProcessTable } from "./processes/process-table.ts";
import type { ReportError } from "./report-error.ts";
import { RootFiles } from "./root-files.ts";
import { DEFAULT_SHELL_LIMITS, type ShellLimits } from "./shell/limits.ts";
import { ShellProcess } from "./shell/shell-process.ts";
import { TimeSlice } from "./time-slice.ts";

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
  readonly files: RootFiles;
  readonly processes: MachineProcesses;
  readonly #options: DurableMachineOptions;
  readonly #fileSystem: FileSystem;
  readonly #table: ProcessTable;
  readonly #slice = new TimeSlice();
  readonly #limits: ShellLimits;
  readonly #bootedAt: number;

  constructor(options: DurableMachineOptions) {
    const { storage, identity, limits, now = Date.now, onError } = options;
    this.#options = options;
    this.#fileSystem = new FileSystem({
      sql: storage.sql,
      transaction: (work) => storage.transactionSync(work),
      quotaBytes: limits.fileQuotaBytes,
      slice: this.#slice,
      now,
      identity,
      onError,
    });
    this.files = new RootFiles(this.#fileSystem);
    this.processes = { start: (request, listeners) => this.#start(request, listeners) };
    this.#table = new ProcessTable(limits.processes);
    this.#limits = {
      ...DEFAULT_SHELL_LIMITS,
      outputBytes: limits.processOutputBytes,
      processes: limits.processes,
    };
    this.#bootedAt = now();
  }

  async open(): Promise<void> {
    this.#fileSystem.create();
  }

  async close(): Promise<void> {
    for (const { pid } of this.#table.list()) this.#table.kill(pid, "KILL", { uid: 0 });
    this.#fileSystem.close();
  }

  async #start(request: ProcessRequest, listeners: ProcessListeners): Promise<MachineProcess> {
    const { identity, fetch } = this.#options;
    const process = new ShellProcess({
      request,
      listeners,
      files: this.#fileSystem,
      processes: this.#table,
      parentPid: INIT_PID,
      slice: this.#slice,
      limits: this.#limits,
      fetch,
      machineName: identity.name,
      users: identity.users,
      bootedAt: this.#bootedAt,
    });
    return {
      pid: process.pid,
      ended: process.ended,
      write: async (bytes) => process.write(bytes),
      kill: async (signal) => process.kill(signal),
    };
  }
}
