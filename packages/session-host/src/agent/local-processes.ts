import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, statSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type {
  MachineProcess,
  MachineProcesses,
  ProcessEnd,
  ProcessListeners,
  ProcessRequest,
  Signal,
} from "durable-machine";
import { openInput, openOutput } from "./pipes.ts";
import { RefusedStart } from "./refused-start.ts";
import { Terminal } from "./terminal.ts";

const SIGNALS = { SIGTERM: "TERM", SIGKILL: "KILL", SIGINT: "INT", SIGHUP: "HUP" } as const;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface LocalProcessesOptions {
  /** The machine's root directory; empty for this computer's own. Programs are those of this computer. */
  root: string;
  /** How many run at once. */
  limit: number;
  /** Variables of each process. */
  environment: Record<string, string>;
  /** Whether processes run as the requested user. If not, all run as the user of this process. */
  switchesUser: boolean;
}

export class LocalProcesses implements MachineProcesses {
  readonly hasTerminals = true;
  readonly #options: LocalProcessesOptions;
  readonly #running = new Map<ChildProcess, LocalProcess>();
  #starting = 0;

  constructor(options: LocalProcessesOptions) {
    this.#options = options;
  }

  async start(request: ProcessRequest, listeners: ProcessListeners): Promise<LocalProcess> {
    if (this.#running.size + this.#starting >= this.#options.limit)
      throw new RefusedStart("too many processes", "too_many_processes");
    this.#starting += 1;
    try {
      return await this.#start(request, listeners);
    } finally {
      this.#starting -= 1;
    }
  }

  /** @throws RefusedStart */
  async #start(request: ProcessRequest, { onOutput }: ProcessListeners): Promise<LocalProcess> {
    const { directory, user, terminal } = request;
    const cwd = this.#options.root + directory;
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      throw new RefusedStart(`${directory}: no such file or directory`, "no_such_directory");
    const [program, ...args] = terminal ? Terminal.command(request.argv, terminal) : request.argv;
    const identity = this.#identityOf(user);
    const stdin = openInput();
    const stdout = openOutput();
    const stderr = openOutput();
    const child = spawn(program, args, {
      cwd,
      env: this.#environmentOf(request),
      stdio: [stdin.descriptor, stdout.descriptor, stderr.descriptor],
      // A process group, so that what it starts is killed with it.
      detached: true,
      ...identity,
    });
    for (const { descriptor } of [stdin, stdout, stderr]) closeSync(descriptor);
    stdin.socket.on("error", () => undefined);
    const exited = once(child, "exit");
    const ended = Promise.all([
      exited,
      forward(stdout.socket, (bytes) => onOutput("stdout", bytes)),
      forward(stderr.socket, (bytes) => onOutput("stderr", bytes)),
    ]).then(([[code, signal]]) => endOf(code, signal));
    ended.catch(() => undefined);
    try {
      await once(child, "spawn");
    } catch (error) {
      stdin.socket.destroy();
      throw toRefusal(program, error);
    }
    void exited.then(() => stdin.socket.destroy());
    preferToEnd(child.pid);
    const process = new LocalProcess(child, stdin.socket, ended, terminal !== undefined);
    this.#running.set(child, process);
    void ended.finally(() => this.#running.delete(child));
    if (!request.takesInput) stdin.socket.end();
    return process;
  }

  async close(): Promise<void> {
    const running = [...this.#running.keys()];
    for (const child of running) signalGroup(child.pid, "SIGKILL");
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #environmentOf({ environment, user, terminal }: ProcessRequest): Record<string, string> {
    return {
      PATH,
      LANG: "C.UTF-8",
      HOME: user.home,
      USER: user.name,
      LOGNAME: user.name,
      SHELL: "/bin/bash",
      ...(terminal && { TERM: "xterm-256color" }),
      ...this.#options.environment,
      ...environment,
    };
  }

  #identityOf({ uid, gid }: { uid: number; gid: number }): { uid?: number; gid?: number } {
    if (!this.#options.switchesUser || uid === process.getuid?.()) return {};
    if (process.getuid?.() === 0) return { uid, gid };
    const message = "this machine has one user, kernel, because its host does not run as root";
    throw new RefusedStart(message, "user_unavailable");
  }
}

export class LocalProcess implements MachineProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #input: Socket;
  readonly #hasTerminal: boolean;

  constructor(child: ChildProcess, input: Socket, ended: Promise<ProcessEnd>, hasTerminal: boolean) {
    this.#child = child;
    this.#input = input;
    this.ended = ended;
    this.#hasTerminal = hasTerminal;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async write(bytes: Uint8Array): Promise<boolean> {
    const input = this.#input;
    if (!input.writable) return false;
    const isOpen = new Promise<boolean>((resolve) => input.write(bytes, (error) => resolve(!error)));
    return await Promise.race([isOpen, this.ended.then(() => false)]);
  }

  async kill(signal: Signal): Promise<void> {
    if (this.#hasTerminal) signalGroup(Terminal.foregroundOf(this.pid), `SIG${signal}`);
    // `script` ends with the program in the terminal.
    if (!this.#hasTerminal || signal === "KILL") signalGroup(this.pid, `SIG${signal}`);
  }

  async resize(size: { rows: number; columns: number }): Promise<void> {
    if (this.#hasTerminal) await Terminal.resize(this.pid, size);
  }
}

async function forward(output: Readable, write: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
  try {
    for await (const bytes of output) await write(bytes);
  } catch {
    // The reader has left.
    output.resume();
  }
}

/** When memory is short, the kernel then ends it, or what it starts, before the agent, and so not the machine. */
function preferToEnd(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "500");
  } catch {
    // It has ended, or this is no Linux.
  }
}

function endOf(code: unknown, signal: unknown): ProcessEnd {
  if (typeof code === "number") return { by: "exit", code };
  const known = Object.entries(SIGNALS).find(([name]) => name === signal)?.[1];
  return { by: "signal", signal: known ?? "KILL" };
}

function signalGroup(pid: number | undefined, signal: `SIG${Signal}`): void {
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function toRefusal(program: string, cause: unknown): RefusedStart {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EACCES")
    return new RefusedStart(`${program}: permission denied`, "command_not_executable", { cause });
  if (code === "EAGAIN") return new RefusedStart("too many processes", "too_many_processes", { cause });
  return new RefusedStart(`${program}: not found`, "command_not_found", { cause });
}
