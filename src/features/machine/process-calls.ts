import { RpcTarget } from "cloudflare:workers";
import {
  isStartError,
  type Machine,
  type MachineProcess,
  type ProcessEnd,
  type ProcessListeners,
  type Signal,
  StartError,
  type TerminalSize,
} from "durable-machine";
import { concatenate } from "../../lib/common/concatenate.ts";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import type { Outcome } from "../../lib/common/outcome.ts";
import { toEventStream } from "../../lib/http/event-stream.ts";
import { commandCandidates } from "./command-line.ts";
import { resolveUser, UnknownUserError } from "./resolve-user.ts";
import {
  exitCodeOf,
  type ProcessEvent,
  type ProcessStatus,
  type SpawnedProcesses,
} from "./spawned-processes.ts";

export interface CommandRequest {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string>;
  as_user?: string;
  as_root: boolean;
  /** Seconds; absent or 0: the service's own limit. */
  timeout_sec?: number;
  /** For a spawned process: runs it in a terminal. */
  terminal?: TerminalSize;
}

export interface ExecResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
  durationMs: number;
}

export interface Execution {
  process: Promise<MachineProcess>;
}

export interface ProcessContext {
  machine: Machine;
  spawned: SpawnedProcesses;
  executing: Map<string, Execution>;
  maxDurationMs: number;
  onSpawned: () => void;
}

/** The use that `beginUse` begins may outlive the response. */
export type RunOnProcesses = <T>(
  work: (context: ProcessContext, beginUse: () => Disposable) => T | Promise<T>,
) => Promise<Outcome<T>>;

/** The processes of a machine, for other Workers. Callers validate the arguments. */
export class ProcessCalls extends RpcTarget {
  readonly #run: RunOnProcesses;

  constructor(run: RunOnProcesses) {
    super();
    this.#run = run;
  }

  exec(request: CommandRequest, callId: string): Promise<Outcome<ExecResult>> {
    return this.#run(async ({ machine, executing, maxDurationMs }) => {
      const startedAt = Date.now();
      const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      const starting = start(machine, request, false, {
        onOutput: (stream, bytes) => void output[stream].push(new Uint8Array(bytes)),
      });
      executing.set(callId, { process: starting });
      const { end, timeout } = await starting
        .then(async (process) => {
          const timeout = startTimeout(process, timeoutMs(request, maxDurationMs));
          const end = await process.ended;
          timeout.stop();
          return { end, timeout };
        })
        .finally(() => executing.delete(callId));
      if (timeout.isExpired()) throw timedOut();
      return {
        exitCode: exitCodeOf(end),
        stdout: concatenate(output.stdout),
        stderr: concatenate([...output.stderr, reasonOf(end)]),
        durationMs: Date.now() - startedAt,
      };
    });
  }

  async cancel(callId: string): Promise<void> {
    await this.#run(async ({ executing }) => {
      await (await executing.get(callId)?.process)?.kill("KILL");
    });
  }

  spawn(request: CommandRequest): Promise<Outcome<{ id: string; pid: number; startedAt: number }>> {
    return this.#run(async ({ machine, spawned, maxDurationMs, onSpawned }) => {
      if (request.terminal && !machine.processes.hasTerminals)
        throw badRequest({ field: "allocate_tty", message: "this machine has no terminals" });
      const { id, process, startedAt } = await spawned.spawn((write) =>
        start(machine, request, true, {
          onOutput: (stream, bytes) => write({ stream, bytes: new Uint8Array(bytes) }),
        }),
      );
      const timeout = startTimeout(process, timeoutMs(request, maxDurationMs));
      void process.ended.then((end) => {
        timeout.stop();
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

  resize(processId: string, size: TerminalSize): Promise<Outcome<void>> {
    return this.#run(({ spawned }) => spawned.resize(processId, size));
  }

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
  { command, args, cwd, env, as_user, as_root, terminal }: CommandRequest,
  takesInput: boolean,
  listeners: ProcessListeners,
): Promise<MachineProcess> {
  try {
    const user = resolveUser({ asUser: as_user, asRoot: as_root });
    const shared = { directory: cwd ?? user.home, environment: env, user, takesInput, terminal };
    return await startFirst(commandCandidates(command, args), (argv) =>
      machine.processes.start({ ...shared, argv }, listeners),
    );
  } catch (error) {
    if (error instanceof UnknownUserError) throw badRequest({ field: "as_user", message: error.message });
    if (!isStartError(error)) throw error;
    if (error.code === "too_many_processes") {
      throw new ServiceError("too_many_requests", `${error.message}: the session has reached its limit`, {
        shouldRetry: false,
      });
    }
    if (error.code === "user_unavailable")
      throw new ServiceError("not_implemented", error.message, { shouldRetry: false });
    throw new ServiceError(error.code, `failed to start process: ${error.message}`);
  }
}

/** @throws StartError of the first command if none can be started. */
async function startFirst<A, P>(commands: A[], start: (command: A) => Promise<P>): Promise<P> {
  let refusal: unknown = new StartError("no command", "command_not_found");
  for (const [index, command] of commands.entries()) {
    try {
      return await start(command);
    } catch (error) {
      if (index === 0) refusal = error;
      if (!isStartError(error) || error.code === "too_many_processes") throw error;
    }
  }
  throw refusal;
}

function timeoutMs({ timeout_sec }: CommandRequest, maxDurationMs: number): number {
  return timeout_sec === undefined || timeout_sec === 0
    ? maxDurationMs
    : Math.min(timeout_sec * 1000, maxDurationMs);
}

function startTimeout(process: MachineProcess, milliseconds: number) {
  let isExpired = false;
  const timer = setTimeout(() => {
    isExpired = true;
    void process.kill("KILL");
  }, milliseconds);
  return { isExpired: () => isExpired, stop: () => clearTimeout(timer) };
}

function timedOut(): ServiceError {
  return new ServiceError("internal_error", "process timed out", { shouldRetry: false });
}

/** The reason why the machine ended the process, for standard error. */
function reasonOf(end: ProcessEnd): Uint8Array {
  return new TextEncoder().encode(end.by === "limit" ? `${end.reason}\n` : "");
}

function toWireEvent(event: ProcessEvent): object {
  return "exitCode" in event
    ? { event: "exit", exit_code: event.exitCode }
    : { stream: event.stream, data_b64: event.bytes.toBase64() };
}
