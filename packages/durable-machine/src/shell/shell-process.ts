import {
  type OutputStream,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  type Signal,
  StartError,
} from "../processes/process.ts";
import { credentialsOf } from "../users.ts";
import { InputStream } from "./byte-input.ts";
import { toShellProgram } from "./child-processes.ts";
import type { ShellLimits } from "./limits.ts";
import { DeadProcessError, mortalFiles, type ProcessContext } from "./process-context.ts";
import { DEFAULT_PATH } from "./program.ts";
import { ScriptRegistry } from "./script-registry.ts";
import { Shell } from "./shell.ts";
import { ShellUsageError } from "./shell-arguments.ts";

/** What a shell exits with at a limit, as the interpreter does at its own. */
const LIMIT_EXIT_CODE = 126;

export interface ShellProcessOptions extends Omit<ProcessContext, "registry" | "user"> {
  request: ProcessRequest;
  listeners: ProcessListeners;
  parentPid: number;
}

/**
 * A program that runs on the simulated machine, with all that it starts. Its jobs end with it, as nobody is left to
 * hear of them.
 */
export class ShellProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #life = new AbortController();
  readonly #input: InputStream;
  readonly #shell: Shell;
  readonly #limits: ShellLimits;
  readonly #listeners: ProcessListeners;
  #end: (end: ProcessEnd) => void = () => {};
  #writing: Promise<void> = Promise.resolve();
  #writtenBytes = 0;

  /** @throws StartError where there is no such program, TooManyProcessesError. */
  constructor(options: ShellProcessOptions) {
    const { request, listeners, parentPid, ...machine } = options;
    const { limits, processes } = machine;
    const { argv, directory, user, takesInput } = request;
    this.#limits = limits;
    this.#listeners = listeners;
    this.#input = new InputStream(takesInput ? undefined : new Uint8Array(0));
    const files = mortalFiles(machine.files, this.#life.signal);
    const context: ProcessContext = { ...machine, files, user, registry: new ScriptRegistry() };
    const environment = { ...defaultEnvironment(request), ...request.environment };
    const search = { context, credentials: credentialsOf(user) };
    const program = startable(() => toShellProgram(search, argv, directory, environment.PATH));
    this.pid = processes.add({ parentPid, user, command: argv.join(" "), startedAt: Date.now() }, (signal) =>
      this.kill(signal),
    );
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    void this.ended.then(() => processes.remove(this.pid));
    this.#shell = new Shell(context, {
      pid: this.pid,
      parentPid,
      directory,
      environment,
      umask: credentialsOf(user).umask,
      stdout: (bytes) => this.#write("stdout", bytes),
      stderr: (bytes) => this.#write("stderr", bytes),
      input: this.#input,
      signal: this.#life.signal,
    });
    void this.#run(() => this.#shell.run(program));
  }

  async #run(run: () => Promise<number>): Promise<void> {
    try {
      const code = await run();
      const signal = this.#shell.traps.diesBy;
      this.#die(signal ? { by: "signal", signal } : { by: "exit", code });
    } catch (error) {
      // The end of a dead process is known already.
      if (this.#life.signal.aborted) return;
      if (!(error instanceof DeadProcessError)) {
        await this.#write("stderr", new TextEncoder().encode(`bash: ${String(error)}\n`)).catch(() => {});
      }
      this.#die({ by: "exit", code: 1 });
    }
  }

  write(bytes: Uint8Array): boolean {
    if (this.#input.isClosed || this.#input.unreadBytes + bytes.length > this.#limits.inputBytes)
      return false;
    this.#input.write(bytes);
    return true;
  }

  closeInput(): void {
    this.#input.close();
  }

  kill(signal: Signal): void {
    if (this.#life.signal.aborted) return;
    if (signal !== "KILL" && this.#shell.traps.take(signal)) return;
    this.#die({ by: "signal", signal });
  }

  #die(end: ProcessEnd): void {
    if (this.#life.signal.aborted) return;
    const error = new DeadProcessError();
    this.#life.abort(error);
    this.#input.fail(error);
    this.#end(end);
  }

  /** In order, each piece when the one before has been taken. */
  #write(stream: OutputStream, bytes: Uint8Array): Promise<void> {
    const written = this.#writing.then(async () => {
      this.#life.signal.throwIfAborted();
      const left = this.#limits.outputBytes - this.#writtenBytes;
      this.#writtenBytes += bytes.length;
      const allowed = bytes.length <= left ? bytes : bytes.subarray(0, left);
      if (allowed.length > 0) await this.#listeners.onOutput(stream, allowed);
      if (allowed.length < bytes.length) this.#reachOutputLimit();
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  #reachOutputLimit(): never {
    const reason = `output limit of ${this.#limits.outputBytes} bytes reached`;
    this.#die({ by: "limit", code: LIMIT_EXIT_CODE, reason });
    throw new DeadProcessError();
  }
}

function defaultEnvironment({ user }: ProcessRequest): Record<string, string> {
  return {
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: "/bin/bash",
    PATH: DEFAULT_PATH,
    LANG: "C.UTF-8",
  };
}

function startable<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof ShellUsageError)
      throw new StartError(error.message, "command_not_executable", { cause: error });
    throw error;
  }
}
