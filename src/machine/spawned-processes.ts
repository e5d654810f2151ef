import type { MachineProcess, OutputStream, ProcessEnd, Signal } from "durable-machine";
import { notFound, ServiceError } from "../common/errors.ts";
import { EventLog, type EventReader } from "../http/event-log.ts";

/** Output that is kept of each process for readers to come. */
const KEPT_OUTPUT_BYTES = 1024 * 1024;

/** Ended processes that are remembered, and whose output can still be read. */
const MAX_ENDED = 100;

/** What the exit code is of a process that a signal ended, or the end of the machine's object. */
const KILLED = -1;

/** Readers are given output in pieces of at most so many bytes. */
const MAX_PIECE_BYTES = 4096;

export interface ProcessOutput {
  stream: OutputStream;
  bytes: Uint8Array;
}

/** What a reader of a process's output is told. */
export type ProcessEvent = ProcessOutput | { exitCode: number };

export interface ProcessStatus {
  state: "running" | "exited";
  exitCode: number | null;
}

interface Running {
  process: MachineProcess;
  log: EventLog<ProcessEvent>;
}

/** The code that callers are told of a process's end. */
export function exitCodeOf(end: ProcessEnd): number {
  return end.by === "signal" ? KILLED : end.code;
}

/** Output in pieces that readers are given. */
function inPieces({ stream, bytes }: ProcessOutput): ProcessOutput[] {
  const count = Math.ceil(bytes.length / MAX_PIECE_BYTES);
  return Array.from({ length: count }, (_, index) => ({
    stream,
    bytes: bytes.slice(index * MAX_PIECE_BYTES, (index + 1) * MAX_PIECE_BYTES),
  }));
}

/**
 * The processes that callers have spawned. What they are is written down, so that after a restart of the service,
 * which none survives, they are told to have exited.
 */
export class SpawnedProcesses {
  readonly #sql: SqlStorage;
  readonly #live = new Map<string, Running>();
  #isClosed = false;

  /** @param sql where `create` has made the table. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Makes the table, and notes that what ran before a restart does so no more. */
  create(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS spawned_process (
         id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER
       ) WITHOUT ROWID`,
    );
    this.#sql.exec(
      "UPDATE spawned_process SET ended_at = ?, exit_code = ? WHERE ended_at IS NULL",
      Date.now(),
      KILLED,
    );
  }

  /** Writes nothing down any more: the storage is about to be deleted. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether any runs now. */
  get isAnyRunning(): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM spawned_process WHERE ended_at IS NULL LIMIT 1").toArray().length > 0
    );
  }

  /** Notes a process as spawned. @param start starts it, its output going where it is told. */
  async spawn(
    start: (write: (output: ProcessOutput) => Promise<void> | undefined) => Promise<MachineProcess>,
  ): Promise<{ id: string; process: MachineProcess; startedAt: number }> {
    const log = new EventLog<ProcessEvent>({
      capacity: KEPT_OUTPUT_BYTES,
      sizeOf: (event) => ("bytes" in event ? event.bytes.length : 0),
    });
    const write = (output: ProcessOutput) =>
      inPieces(output)
        .map((piece) => log.append(piece))
        .at(-1);
    const process = await start(write);
    const id = crypto.randomUUID();
    const startedAt = Date.now();
    this.#sql.exec("INSERT INTO spawned_process (id, started_at) VALUES (?, ?)", id, startedAt);
    this.#live.set(id, { process, log });
    return { id, process, startedAt };
  }

  /** Notes a process's end. */
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

  /** @throws ServiceError 404 */
  status(id: string): ProcessStatus {
    const { ended_at, exit_code } = this.#row(id);
    return { state: ended_at === null ? "running" : "exited", exitCode: exit_code };
  }

  /** Everything that the process has written and will write, then its end. @throws ServiceError 404 */
  read(id: string): EventReader<ProcessEvent> {
    const { exit_code } = this.#row(id);
    const running = this.#live.get(id);
    if (running !== undefined) return running.log.read();
    const log = new EventLog<ProcessEvent>({ capacity: 1, sizeOf: () => 1 });
    log.append({ exitCode: exit_code ?? KILLED });
    log.end();
    return log.read();
  }

  /** @throws ServiceError 404, 409 where the process has ended or takes no input. */
  async write(id: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.#requireRunning(id).write(bytes))) throw ended("it takes no input any more");
  }

  /** @throws ServiceError 404, 409 where the process has ended. */
  async kill(id: string, signal: Signal): Promise<void> {
    await this.#requireRunning(id).kill(signal);
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
