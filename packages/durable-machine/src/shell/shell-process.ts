import type {
  OutputStream,
  ProcessEnd,
  ProcessListeners,
  ProcessRequest,
  Signal,
} from "../processes/process.ts";
import { credentialsOf } from "../users.ts";
import { ByteInput } from "./byte-input.ts";
import { newCommandTable } from "./command-table.ts";
import type { ShellLimits } from "./limits.ts";
import { DeadProcessError, mortalFiles, type ProcessContext } from "./process-context.ts";
import { DEFAULT_PATH, toShellProgram } from "./program.ts";
import { Shell } from "./shell.ts";

const LIMIT_EXIT_CODE = 126;

export interface ShellProcessOptions extends Omit<ProcessContext, "registry" | "user"> {
  request: ProcessRequest;
  listeners: ProcessListeners;
  parentPid: number;
}

/** A program that runs on the machine, with everything it starts. Its jobs end with it. */
export class ShellProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #life = new AbortController();
  readonly #input: ByteInput;
  readonly #shell: Shell;
  readonly #limits: ShellLimits;
  readonly #listeners: ProcessListeners;
  readonly #end = Promise.withResolvers<ProcessEnd>();
  #writing: Promise<void> = Promise.resolve();
  #writtenBytes = 0;

  /** @throws StartError */
  constructor(options: ShellProcessOptions) {
    const { request, listeners, parentPid, ...machine } = options;
    const { argv, directory, user, takesInput } = request;
    this.#limits = machine.limits;
    this.#listeners = listeners;
    this.#input = new ByteInput(takesInput ? undefined : new Uint8Array(0));
    const files = mortalFiles(machine.files, this.#life.signal);
    const registry = { jobs: [], functions: [], pipes: 0 };
    const context: ProcessContext = { ...machine, files, user, registry };
    const environment = {
      HOME: user.home,
      USER: user.name,
      LOGNAME: user.name,
      SHELL: "/bin/bash",
      PATH: DEFAULT_PATH,
      LANG: "C.UTF-8",
      ...request.environment,
    };
    const credentials = credentialsOf(user);
    const program = toShellProgram(argv, { directory, path: environment.PATH, files, credentials });
    const entry = { parentPid, user, command: argv.join(" "), startedAt: Date.now() };
    this.pid = machine.processes.add(entry, (signal) => this.kill(signal));
    this.ended = this.#end.promise;
    void this.ended.then(() => machine.processes.remove(this.pid));
    this.#shell = new Shell(context, {
      pid: this.pid,
      parentPid,
      directory,
      environment,
      umask: credentials.umask,
      stdout: (bytes) => this.#write("stdout", bytes),
      stderr: (bytes) => this.#write("stderr", bytes),
      input: this.#input,
      newCommandTable,
      signal: this.#life.signal,
    });
    this.#shell.run(program).then(
      (code) => {
        const signal = this.#shell.traps.diesBy;
        this.#die(signal ? { by: "signal", signal } : { by: "exit", code });
      },
      () => this.#die({ by: "exit", code: 1 }),
    );
  }

  write(bytes: Uint8Array): boolean {
    const isFull = this.#input.unreadBytes + bytes.length > this.#limits.inputBytes;
    if (this.#input.isClosed || isFull) return false;
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
    this.#end.resolve(end);
  }

  /** Writes in order, each piece once the previous one has been taken. */
  #write(stream: OutputStream, bytes: Uint8Array): Promise<void> {
    const written = this.#writing.then(async () => {
      this.#life.signal.throwIfAborted();
      const left = this.#limits.outputBytes - this.#writtenBytes;
      this.#writtenBytes += bytes.length;
      const allowed = bytes.length <= left ? bytes : bytes.subarray(0, left);
      if (allowed.length > 0) await this.#listeners.onOutput(stream, allowed);
      if (allowed.length === bytes.length) return;
      const reason = `output limit of ${this.#limits.outputBytes} bytes reached`;
      this.#die({ by: "limit", code: LIMIT_EXIT_CODE, reason });
      throw new DeadProcessError();
    });
    this.#writing = written.catch(() => {});
    return written;
  }
}
