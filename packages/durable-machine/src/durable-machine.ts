import { FileSystem } from "./file-system/file-system.ts";
import type { MachineIdentity } from "./file-system/first-files.ts";
import type { ReportError } from "./file-system/reclaimer.ts";
import type { RunTransaction, Sql } from "./file-system/sql.ts";
import type { Machine, MachineFiles, MachineProcess, MachineProcesses } from "./machine.ts";
import type { MachineFetch } from "./network.ts";
import type { ProcessListeners, ProcessRequest } from "./processes/process.ts";
import { ProcessTable } from "./processes/process-table.ts";
import { rootFiles } from "./root-files.ts";
import { DEFAULT_SHELL_LIMITS } from "./shell/limits.ts";
import { ShellProcess } from "./shell/shell-process.ts";
import { TimeSlice } from "./time-slice.ts";

const INIT_PID = 1;

export interface DurableMachineOptions {
  storage: { sql: Sql; transactionSync: RunTransaction };
  identity: MachineIdentity;
  limits: MachineLimits;
  fetch: MachineFetch;
  /** In milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
  onError: ReportError;
}

export interface MachineLimits {
  /** For the contents and names of files, in bytes. */
  fileQuotaBytes: number;
  /** For the standard output and error of a process together, in bytes. */
  processOutputBytes: number;
  processes: number;
}

export class DurableMachine implements Machine {
  readonly files: MachineFiles;
  readonly processes: MachineProcesses;
  readonly #options: DurableMachineOptions;
  readonly #fileSystem: FileSystem;
  readonly #table: ProcessTable;
  readonly #slice = new TimeSlice();
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
    this.files = rootFiles(this.#fileSystem);
    this.processes = { start: async (request, listeners) => this.#start(request, listeners) };
    this.#table = new ProcessTable(limits.processes);
    this.#bootedAt = now();
  }

  async open(): Promise<void> {
    this.#fileSystem.create();
  }

  async close(): Promise<void> {
    for (const { pid } of this.#table.list()) this.#table.kill(pid, "KILL", { uid: 0 });
    this.#fileSystem.close();
  }

  #start(request: ProcessRequest, listeners: ProcessListeners): MachineProcess {
    const { identity, fetch, limits } = this.#options;
    const { processOutputBytes: outputBytes, processes } = limits;
    const process = new ShellProcess({
      request,
      listeners,
      files: this.#fileSystem,
      processes: this.#table,
      parentPid: INIT_PID,
      slice: this.#slice,
      limits: { ...DEFAULT_SHELL_LIMITS, outputBytes, processes },
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
