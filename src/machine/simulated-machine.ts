import { type GuardedFetch, newGuardedFetch } from "../network/guarded-fetch.ts";
import type { NetworkAccess } from "../network/network-access.ts";
import type { Fetch } from "../network/outgoing-fetch.ts";
import { resolveName } from "../network/resolve.ts";
import { TimeSlice } from "../time-slice.ts";
import { MACHINE_NAME } from "./file-system/first-files.ts";
import { SqlFileSystem } from "./file-system/sql-file-system.ts";
import type { Machine, MachineProcess, ProcessListeners, ProcessRequest, Signal } from "./machine.ts";
import { type ProcessEntry, ProcessTable } from "./processes/process-table.ts";
import { DEFAULT_SHELL_LIMITS, type ShellLimits } from "./shell/limits.ts";
import { ShellProcess } from "./shell/shell-process.ts";
import { Uploads } from "./uploads.ts";
import type { User } from "./users.ts";

const INIT_PID = 1;

const MOST_REDIRECTS = 50;
/** Answers are held whole, in an isolate of 128 MB. */
const LARGEST_RESPONSE_BYTES = 16 * 1024 * 1024;
const LONGEST_REQUEST_MS = 300_000;

interface SimulatedMachineOptions {
  storage: DurableObjectStorage;
  limits: { fileQuotaBytes: number; processOutputBytes: number; processes: number; network: NetworkAccess };
  allowPrivateAddresses: boolean;
  /** Sends the machine's requests. */
  fetch: Fetch;
}

/** A machine of files in SQLite and a shell in JavaScript. */
export class SimulatedMachine implements Machine {
  readonly files: SqlFileSystem;
  readonly #processes: ProcessTable;
  readonly #slice = new TimeSlice();
  readonly #limits: ShellLimits;
  readonly #fetch: GuardedFetch;
  readonly #bootedAt = Date.now();

  constructor({ storage, limits, allowPrivateAddresses, fetch }: SimulatedMachineOptions) {
    this.files = new SqlFileSystem({
      sql: storage.sql,
      transaction: (work) => storage.transactionSync(work),
      quotaBytes: limits.fileQuotaBytes,
      slice: this.#slice,
    });
    this.#fetch = newGuardedFetch({
      fetch,
      allowPrivateAddresses,
      allow: limits.network,
      settingName: "MACHINE_NETWORK",
      resolve: resolveName,
      maxRedirects: MOST_REDIRECTS,
      maxResponseBytes: LARGEST_RESPONSE_BYTES,
      timeoutMs: LONGEST_REQUEST_MS,
    });
    this.#processes = new ProcessTable(limits.processes);
    this.#limits = {
      ...DEFAULT_SHELL_LIMITS,
      outputBytes: limits.processOutputBytes,
      processes: limits.processes,
    };
  }

  /** Makes what is not there yet, and clears away what a crash left half done. */
  async open(): Promise<void> {
    this.files.create();
    await Uploads.clear(this.files);
  }

  /** Ends the machine: its storage is about to go. */
  close(): void {
    for (const { pid } of this.#processes.list()) this.#processes.kill(pid, "KILL", { uid: 0 });
    this.files.close();
  }

  start(request: ProcessRequest, listeners: ProcessListeners): MachineProcess {
    return new ShellProcess({
      request,
      listeners,
      files: this.files,
      processes: this.#processes,
      parentPid: INIT_PID,
      slice: this.#slice,
      limits: this.#limits,
      fetch: this.#fetch,
      machineName: MACHINE_NAME,
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
