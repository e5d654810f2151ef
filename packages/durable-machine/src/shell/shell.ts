import { Bash, type Command, type CommandContext } from "just-bash/browser";
import type { Signal } from "../processes/process.ts";
import { credentialsOf } from "../users.ts";
import { ByteInput, EndlessInputError } from "./byte-input.ts";
import { type ByteOutput, directOutput, KeptOutput, type Write } from "./byte-output.ts";
import { toByteString, writtenBytes } from "./byte-strings.ts";
import type { EndlessOutput } from "./command-environment.ts";
import { LIVE_INPUT } from "./devices.ts";
import { describeDiagnostic } from "./diagnostics.ts";
import { Jobs } from "./jobs.ts";
import {
  type FunctionDefinition,
  outputPath,
  parseScript,
  printScript,
  ScriptSyntaxError,
} from "./just-bash.ts";
import { executionLimits, WorkBudget } from "./limits.ts";
import { MountedFiles } from "./mounted-files.ts";
import { DeadProcessError, type ProcessContext } from "./process-context.ts";
import { DEFAULT_PATH } from "./program.ts";
import { composeScript, type ShellProgram } from "./shell-program.ts";
import { DESCRIPTORS, VARIABLES } from "./transforms/names.ts";
import { ScriptTransform } from "./transforms/script-transform.ts";
import { Traps } from "./traps.ts";

const encoder = new TextEncoder();

export interface ShellOptions {
  pid: number;
  parentPid: number;
  directory: string;
  environment: Record<string, string>;
  umask: number;
  stdout: Write;
  stderr: Write;
  input: ByteInput;
  newCommandTable: (shell: Shell) => Command[];
  /** Aborted when the process that the shell belongs to dies. */
  signal: AbortSignal;
}

export class Shell {
  readonly context: ProcessContext;
  readonly options: ShellOptions;
  readonly jobs = new Jobs();
  readonly traps = new Traps();
  readonly functions = new Map<string, FunctionDefinition>();
  readonly workBudget = new WorkBudget();
  readonly files: MountedFiles;
  readonly transform: ScriptTransform;
  umask: number;
  readonly #death = new AbortController();
  #endless: EndlessOutput | undefined;

  constructor(context: ProcessContext, options: ShellOptions) {
    this.context = context;
    this.options = options;
    this.umask = options.umask;
    this.traps.onArrival(() => options.input.interrupt());
    if (options.signal.aborted) this.#death.abort(options.signal.reason);
    else options.signal.addEventListener("abort", () => this.die(), { once: true, signal: this.signal });
    this.files = new MountedFiles(this);
    this.transform = new ScriptTransform(context.registry, !options.input.isClosed);
  }

  get signal(): AbortSignal {
    return this.#death.signal;
  }

  get credentials() {
    return { ...credentialsOf(this.context.user), umask: this.umask };
  }

  /** Runs a program to its end. @returns its exit code. @throws DeadProcessError */
  async run(program: ShellProgram): Promise<number> {
    try {
      return await this.#run(program);
    } catch (error) {
      this.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : error;
      await this.writeError(encoder.encode(`bash: ${message}\n`));
      return 1;
    } finally {
      for (const job of this.jobs.running) job.kill("KILL");
    }
  }

  async #run(given: ShellProgram): Promise<number> {
    const { options } = this;
    const { input } = options;
    let program = given;
    let stdin = input.isClosed ? await input.readAll(this.context.limits.pipeBytes) : undefined;
    // A shell that already has all its commands runs them as a script.
    if (given.kind === "input" && stdin) {
      program = { ...given, kind: "script", text: new TextDecoder().decode(stdin) };
      stdin = new Uint8Array(0);
    }
    if ("flags" in program && program.flags.length > 0) this.transform.mayEndByFailure = true;
    if (program.kind === "job") for (const definition of program.functions) this.addFunction(definition);
    const bash = this.#newBash(program);
    let isFirst = true;
    bash.registerTransformPlugin({
      name: "machine",
      transform: ({ ast }) => {
        // A bundled command takes the output of what it runs.
        if (!isFirst) return { ast: this.transform.nested(ast) };
        isFirst = false;
        return { ast: composeScript(program, ast, options.environment, this.transform) };
      },
    });
    const { stdout, stderr, exitCode } = await bash.exec(program.kind === "script" ? program.text : ":", {
      rawScript: true,
      signal: this.signal,
      ...(stdin ? { stdin: toByteString(stdin), stdinKind: "bytes" } : {}),
    });
    // The interpreter hands on its own messages at the end.
    await this.writeOutput(encoder.encode(stdout));
    await this.writeError(encoder.encode(stderr));
    return exitCode;
  }

  #newBash(program: ShellProgram): Bash {
    const { context, options } = this;
    return new Bash({
      fs: this.files,
      cwd: options.directory,
      env: {
        PATH: DEFAULT_PATH,
        ...options.environment,
        PWD: options.directory,
        "0": program.name,
        ...(options.input.isClosed ? {} : { [VARIABLES.liveInput]: "1" }),
      },
      processInfo: {
        pid: options.pid,
        ppid: options.parentPid,
        uid: context.user.uid,
        gid: context.user.gid,
      },
      customCommands: options.newCommandTable(this),
      coverage: this.workBudget,
      defenseInDepth: false,
      executionLimits: executionLimits(context.limits),
    });
  }

  /** The text of commands for `eval`, `.` and traps; unchanged where its syntax is wrong. */
  async prepareText(text: string, sourceFile?: string): Promise<string> {
    try {
      const script = await parseScript(text);
      if (script.statements.length === 0) return "";
      return printScript(this.transform.script(script, sourceFile));
    } catch (error) {
      if (error instanceof ScriptSyntaxError) return text;
      throw error;
    }
  }

  addFunction(definition: FunctionDefinition): void {
    this.transform.functionNames.add(definition.name);
    this.functions.set(definition.name, definition);
  }

  async writeOutput(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (bytes.length > 0) await this.options.stdout(bytes);
  }

  async writeError(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    const described = describeDiagnostic(bytes, this.files.takeOpenFailure());
    if (described.length > 0) await this.options.stderr(described);
  }

  inputOf(context: CommandContext): ByteInput {
    const stdin = String(context.stdin);
    if (stdin === LIVE_INPUT) return this.options.input;
    const bytes = writtenBytes(stdin, "binary");
    if (!this.isEndless(stdin)) return new ByteInput(bytes);
    const { repeats } = this.#endless ?? {};
    return new ByteInput(bytes, () => {
      if (!repeats) throw new EndlessInputError(bytes.length);
      return bytes;
    });
  }

  keepEndless(output: EndlessOutput): void {
    this.#endless = output;
  }

  /** Whether a command's input is only the beginning of output that never ends. */
  isEndless(stdin: string): boolean {
    return stdin !== "" && stdin === this.#endless?.text;
  }

  outputOf(context: CommandContext): ByteOutput {
    const write = this.routeOf(context, DESCRIPTORS.stdout);
    return write ? directOutput(write) : new KeptOutput(this.context.limits.pipeBytes);
  }

  /** What writes to a descriptor of the script; undefined: the interpreter takes the output. */
  routeOf(context: CommandContext, descriptor: number): Write | undefined {
    const path = outputPath(context, descriptor);
    return path === undefined ? undefined : (bytes) => this.files.appendFile(path, bytes);
  }

  async whileAlive<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const die = () => reject(this.signal.reason);
    this.signal.addEventListener("abort", die, { once: true });
    if (this.signal.aborted) die();
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener("abort", die);
    }
  }

  receive(signal: Signal): void {
    if (signal === "KILL" || !this.traps.take(signal)) this.die();
  }

  die(): void {
    if (this.signal.aborted) return;
    this.#death.abort(new DeadProcessError());
  }
}
