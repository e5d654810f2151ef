import { RpcTarget } from "cloudflare:workers";
import {
  type Machine,
  type MachineProcess,
  type ProcessEnd,
  type ProcessListeners,
  type Signal,
  StartError,
} from "durable-machine";
import { concatenate } from "../common/concatenate.ts";
import { badRequest, ServiceError } from "../common/errors.ts";
import type { Outcome } from "../common/outcome.ts";
import { toEventStream } from "../http/event-stream.ts";
import { chooseUser, UnknownUserError } from "./as-user.ts";
import { readCommand } from "./command-line.ts";
import {
  exitCodeOf,
  type ProcessEvent,
  type ProcessStatus,
  type SpawnedProcesses,
} from "./spawned-processes.ts";

/** What a caller wants run. */
export interface CommandRequest {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string>;
  as_user?: string;
  as_root: boolean;
  /** Seconds; absent or 0: as long as the machine lets it. */
  timeout_sec?: number;
}

export interface ExecResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
  durationMs: number;
}

/** A process whose caller waits for its end. */
export interface Execution {
  process: Promise<MachineProcess>;
}

export interface ProcessParts {
  machine: Machine;
  spawned: SpawnedProcesses;
  /** Processes whose callers wait, by the id of the call. */
  executing: Map<string, Execution>;
  /** The longest that a process may run, in milliseconds. */
  longestMs: number;
  /** Called when a spawned process starts, which goes on when nobody calls. */
  onSpawned: () => void;
}

/** Runs what one caller asks for, or refuses it; what `work` begins with `beginUse` outlasts its answer. */
export type RunOnProcesses = <T>(
  work: (parts: ProcessParts, beginUse: () => Disposable) => T | Promise<T>,
) => Promise<Outcome<T>>;

/** A machine's processes for callers in other Workers; what it is told arrives checked in its form. */
export class ProcessCalls extends RpcTarget {
  readonly #run: RunOnProcesses;

  constructor(run: RunOnProcesses) {
    super();
    this.#run = run;
  }

  /**
   * Runs a command to its end.
   *
   * @param callId names the call to {@link cancel}.
   */
  exec(request: CommandRequest, callId: string): Promise<Outcome<ExecResult>> {
    return this.#run(async ({ machine, executing, longestMs }) => {
      const startedAt = Date.now();
      const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      const starting = start(machine, request, false, {
        onOutput: (stream, bytes) => void output[stream].push(new Uint8Array(bytes)),
      });
      executing.set(callId, { process: starting });
      const { end, limit } = await starting
        .then(async (process) => {
          const limit = limitTime(process, timeLimit(request, longestMs));
          const end = await process.ended;
          limit.stop();
          return { end, limit };
        })
        .finally(() => executing.delete(callId));
      if (limit.isReached()) throw timedOut();
      return {
        exitCode: exitCodeOf(end),
        stdout: concatenate(output.stdout),
        stderr: concatenate([...output.stderr, reasonOf(end)]),
        durationMs: Date.now() - startedAt,
      };
    });
  }

  /** Kills what runs for a caller who has gone. */
  async cancel(callId: string): Promise<void> {
    await this.#run(async ({ executing }) => {
      await (await executing.get(callId)?.process)?.kill("KILL");
    });
  }

  spawn(request: CommandRequest): Promise<Outcome<{ id: string; pid: number; startedAt: number }>> {
    return this.#run(async ({ machine, spawned, longestMs, onSpawned }) => {
      const { id, process, startedAt } = await spawned.spawn((write) =>
        start(machine, request, true, {
          onOutput: (stream, bytes) => write({ stream, bytes: new Uint8Array(bytes) }),
        }),
      );
      const limit = limitTime(process, timeLimit(request, longestMs));
      void process.ended.then((end) => {
        limit.stop();
        spawned.end(id, end);
      });
      onSpawned();
      return { id, pid: process.pid, startedAt };
    });
  }

  status(processId: string): Promise<Outcome<ProcessStatus>> {
    return this.#run(({ spawned }) => spawned.status(processId));
  }

  write(processId: string, bytes: Uint8Array): Promise<Outcome<void>> {
    return this.#run(({ spawned }) => spawned.write(processId, bytes));
  }

  kill(processId: string, signal: Signal): Promise<Outcome<void>> {
    return this.#run(({ spawned }) => spawned.kill(processId, signal));
  }

  /** No process has a terminal whose size could change. */
  resize(processId: string): Promise<Outcome<void>> {
    return this.#run(({ spawned }) => {
      spawned.status(processId);
      throw badRequest({ field: "", message: "process is not PTY-backed: this machine has no terminals" });
    });
  }

  /** What the process writes, as server-sent events. */
  output(processId: string): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#run(({ spawned }, beginUse) => {
      const reader = spawned.read(processId);
      const use = beginUse();
      return toEventStream(reader, toWireEvent, () => use[Symbol.dispose]());
    });
  }
}

async function start(
  machine: Machine,
  { command, args, cwd, env, as_user, as_root }: CommandRequest,
  takesInput: boolean,
  listeners: ProcessListeners,
): Promise<MachineProcess> {
  try {
    const user = chooseUser({ asUser: as_user, asRoot: as_root });
    const shared = { directory: cwd ?? user.home, environment: env, user, takesInput };
    return await startFirst(readCommand(command, args), (argv) =>
      machine.processes.start({ ...shared, argv }, listeners),
    );
  } catch (error) {
    if (error instanceof UnknownUserError) throw badRequest({ field: "as_user", message: error.message });
    if (!(error instanceof StartError)) throw error;
    if (error.code === "too_many_processes") {
      throw new ServiceError("too_many_requests", `${error.message}: this session runs as many as it may`, {
        shouldRetry: false,
      });
    }
    throw new ServiceError(error.code, `failed to start process: ${error.message}`);
  }
}

/**
 * Starts the first of the commands that exists.
 *
 * @throws StartError of the first one if none does.
 */
async function startFirst<A, P>(commands: A[], start: (command: A) => Promise<P>): Promise<P> {
  let refusal: unknown = new StartError("no command", "command_not_found");
  for (const [index, command] of commands.entries()) {
    try {
      return await start(command);
    } catch (error) {
      if (index === 0) refusal = error;
      if (!(error instanceof StartError) || error.code === "too_many_processes") throw error;
    }
  }
  throw refusal;
}

function timeLimit({ timeout_sec }: CommandRequest, longestMs: number): number {
  return timeout_sec === undefined || timeout_sec === 0 ? longestMs : Math.min(timeout_sec * 1000, longestMs);
}

/** Kills a process that runs too long. */
function limitTime(process: MachineProcess, milliseconds: number) {
  let isReached = false;
  const timer = setTimeout(() => {
    isReached = true;
    void process.kill("KILL");
  }, milliseconds);
  return { isReached: () => isReached, stop: () => clearTimeout(timer) };
}

function timedOut(): ServiceError {
  return new ServiceError("internal_error", "process timed out", { shouldRetry: false });
}

/** What the machine has to say of an end that it brought about. */
function reasonOf(end: ProcessEnd): Uint8Array {
  return new TextEncoder().encode(end.by === "limit" ? `${end.reason}\n` : "");
}

function toWireEvent(event: ProcessEvent): object {
  return "exitCode" in event
    ? { event: "exit", exit_code: event.exitCode }
    : { stream: event.stream, data_b64: event.bytes.toBase64() };
}
