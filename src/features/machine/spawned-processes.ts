import type { MachineProcess, OutputStream, ProcessEnd, Signal, TerminalSize } from "durable-machine";
import { badRequest, notFound, ServiceError } from "../../lib/common/errors.ts";
import { EventLog, type EventReader } from "../../lib/http/event-log.ts";

const MAX_BUFFERED_OUTPUT_BYTES = 1024 * 1024;

/** Ended processes whose status and output are kept. */
const MAX_ENDED = 100;

/** Exit code after a signal or a restart of the service. */
const KILLED_EXIT_CODE = -1;

const MAX_CHUNK_BYTES = 4096;

export interface ProcessOutput {
  stream: OutputStream;
  bytes: Uint8Array;
}

export type ProcessEvent = ProcessOutput | { exitCode: number };

export interface ProcessStatus {
  state: "running" | "exited";
  exitCode: number | null;
}

interface Running {
  process: MachineProcess;
  log: EventLog<ProcessEvent>;
}

export function exitCodeOf(end: ProcessEnd): number {
  return end.by === "signal" ? KILLED_EXIT_CODE : end.code;
}

function splitOutput({ stream, bytes }: ProcessOutput): ProcessOutput[] {
  const count = Math.ceil(bytes.length / MAX_CHUNK_BYTES);
  return Array.from({ length: count }, (_, index) => ({
    stream,
    bytes: bytes.slice(index * MAX_CHUNK_BYTES, (index + 1) * MAX_CHUNK_BYTES),
  }));
}

/** A machine's spawned processes, recorded in SQL so that they are reported as exited after a restart. */
export class SpawnedProcesses {
  readonly #sql: SqlStorage;
  readonly #live = new Map<string, Running>();
  #isClosed = false;

  /** Call {@link create} first. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** No process survives a restart. */
  create(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS spawned_process (
         id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER
       ) WITHOUT ROWID`,
    );
    this.#sql.exec(
      "UPDATE spawned_process SET ended_at = ?, exit_code = ? WHERE ended_at IS NULL",
      Date.now(),
      KILLED_EXIT_CODE,
    );
  }

  close(): void {
    this.#isClosed = true;
  }

  get isAnyRunning(): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM spawned_process WHERE ended_at IS NULL LIMIT 1").toArray().length > 0
    );
  }

  /** `start` passes the process's output to `write`. */
  async spawn(
    start: (write: (output: ProcessOutput) => Promise<void> | undefined) => Promise<MachineProcess>,
  ): Promise<{ id: string; process: MachineProcess; startedAt: number }> {
    const log = new EventLog<ProcessEvent>({
      capacity: MAX_BUFFERED_OUTPUT_BYTES,
      sizeOf: (event) => ("bytes" in event ? event.bytes.length : 0),
    });
    const write = (output: ProcessOutput) =>
      splitOutput(output)
        .map((chunk) => log.append(chunk))
        .at(-1);
    const process = await start(write);
    const id = crypto.randomUUID();
    const startedAt = Date.now();
    this.#sql.exec("INSERT INTO spawned_process (id, started_at) VALUES (?, ?)", id, startedAt);
    this.#live.set(id, { process, log });
    return { id, process, startedAt };
  }

  end(id: string, end: ProcessEnd): void {
    const exitCode = exitCodeOf(end);
    const log = this.#live.get(id)?.log;
    log?.append({ exitCode });
    log?.end();
    if (this.#isClosed) return;
    this.#sql.exec(
      "UPDATE spawned_process SET ended_at = ?, exit_code = ? WHERE id = ?",
      Date.now(),
      exitCode,
      id,
    );
    const forgotten = this.#sql
      .exec<{ id: string }>(
        `DELETE FROM spawned_process WHERE ended_at IS NOT NULL AND id NOT IN
           (SELECT id FROM spawned_process WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id LIMIT ?)
         RETURNING id`,
        MAX_ENDED,
      )
      .toArray();
    for (const row of forgotten) this.#live.delete(row.id);
  }

  status(id: string): ProcessStatus {
    const { ended_at, exit_code } = this.#row(id);
    return { state: ended_at === null ? "running" : "exited", exitCode: exit_code };
  }

  /** Repeats the buffered output, then follows the process to its exit. @throws ServiceError 404 */
  read(id: string): EventReader<ProcessEvent> {
    const { exit_code } = this.#row(id);
    const running = this.#live.get(id);
    if (running !== undefined) return running.log.read();
    const log = new EventLog<ProcessEvent>({ capacity: 1, sizeOf: () => 1 });
    log.append({ exitCode: exit_code ?? KILLED_EXIT_CODE });
    log.end();
    return log.read();
  }

  /** @throws ServiceError 404, or 409 if the process has ended or its input is closed. */
  async write(id: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.#requireRunning(id).write(bytes))) throw ended("its input is closed");
  }

  /** @throws ServiceError 404, or 409 if the process has ended. */
  async kill(id: string, signal: Signal): Promise<void> {
    await this.#requireRunning(id).kill(signal);
  }

  /** @throws ServiceError 404, or 400 if the process has no terminal. */
  async resize(id: string, size: TerminalSize): Promise<void> {
    this.#row(id);
    const { process } = this.#live.get(id) ?? {};
    if (process?.resize === undefined)
      throw badRequest({ field: "", message: "process is not PTY-backed: it has no terminal" });
    await process.resize(size);
  }

  #requireRunning(id: string): MachineProcess {
    const row = this.#row(id);
    const running = this.#live.get(id);
    if (row.ended_at !== null || running === undefined) throw ended("it has exited");
    return running.process;
  }

  #row(id: string): { ended_at: number | null; exit_code: number | null } {
    const [row] = this.#sql
      .exec<{ ended_at: number | null; exit_code: number | null }>(
        "SELECT ended_at, exit_code FROM spawned_process WHERE id = ?",
        id,
      )
      .toArray();
    if (row === undefined) throw notFound("process");
    return row;
  }
}

function ended(why: string): ServiceError {
  return new ServiceError("conflict", `The process cannot be reached: ${why}`, { shouldRetry: false });
}
