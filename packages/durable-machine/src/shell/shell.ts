import { Bash, type BashExecResult, type CommandContext } from "just-bash/browser";
import type { Signal } from "../processes/process.ts";
import { credentialsOf } from "../users.ts";
import { EndlessInputError, InputStream } from "./byte-input.ts";
import { type ByteOutput, DirectOutput, KeptOutput, type Write } from "./byte-output.ts";
import { fromByteString, toByteString } from "./byte-strings.ts";
import type { EndlessOutput } from "./command-environment.ts";
import { newCommandTable } from "./command-table.ts";
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
import { executionLimits } from "./limits.ts";
import { MountedFiles } from "./mounted-files.ts";
import { DeadProcessError, type ProcessContext } from "./process-context.ts";
import { DEFAULT_PATH } from "./program.ts";
import { composeScript, type ShellProgram } from "./shell-program.ts";
import { DESCRIPTORS, VARIABLES } from "./transforms/names.ts";
import { ScriptTransform } from "./transforms/script-transform.ts";
import { Traps } from "./traps.ts";
import { WorkBudget } from "./work-budget.ts";

const encoder = new TextEncoder();

export interface ShellOptions {
  pid: number;
  parentPid: number;
  directory: string;
  environment: Record<string, string>;
  umask: number;
  stdout: Write;
  stderr: Write;
  input: InputStream;
  /** Aborted when the process that the shell belongs to dies. */
  signal: AbortSignal;
}

/** A shell, or a program that it starts for itself: one interpreter with its own variables, jobs and traps. */
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

  /** Aborted when this shell dies, with its process or alone. */
  get signal(): AbortSignal {
    return this.#death.signal;
  }

  get credentials() {
    return { ...credentialsOf(this.context.user), umask: this.umask };
  }

  /** Runs a program to its end. @returns its exit code. Does not return, but throws, once the shell is dead. */
  async run(given: ShellProgram): Promise<number> {
    const program = await this.#withText(given);
    if ("flags" in program && program.flags.length > 0) this.transform.mayEndByFailure = true;
    if (program.kind === "job") for (const definition of program.functions) this.#addFunction(definition);
    const bash = this.#newBash(program);
    let isFirst = true;
    bash.registerTransformPlugin({
      name: "machine",
      transform: ({ ast }) => {
        // A bundled command takes the output of what it runs.
        if (!isFirst) return { ast: this.transform.nested(ast) };
        isFirst = false;
        return { ast: composeScript(program, ast, this.transform) };
      },
    });
    const result = await this.#execute(bash, program.kind === "script" ? program.text : ":");
    this.signal.throwIfAborted();
    // What the interpreter has kept for the end is what it says itself.
    if (result.stdout !== "") await this.options.stdout(encoder.encode(result.stdout));
    if (result.stderr !== "") await this.writeError(encoder.encode(result.stderr));
    for (const job of this.jobs.running) job.kill("KILL");
    return result.exitCode;
  }

  /** A shell that reads commands which are all there already runs them as a script. */
  async #withText(program: ShellProgram): Promise<ShellProgram> {
    const { input } = this.options;
    if (program.kind !== "input" || !input.isClosed) return program;
    const text = new TextDecoder().decode(await input.readAll(this.context.limits.pipeBytes));
    return { ...program, kind: "script", text };
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
      customCommands: newCommandTable(this),
      coverage: this.workBudget,
      defenseInDepth: false,
      executionLimits: executionLimits(context.limits),
    });
  }

  async #execute(bash: Bash, text: string): Promise<Pick<BashExecResult, "stdout" | "stderr" | "exitCode">> {
    const { input } = this.options;
    const stdin = input.isClosed ? await input.readAll(this.context.limits.pipeBytes) : undefined;
    try {
      return await bash.exec(text, {
        rawScript: true,
        signal: this.signal,
        ...(stdin ? { stdin: toByteString(stdin), stdinKind: "bytes" } : {}),
      });
    } catch (error) {
      this.signal.throwIfAborted();
      return { stdout: "", stderr: `bash: ${error instanceof Error ? error.message : error}\n`, exitCode: 1 };
    }
  }

  /** The text of commands that come while the shell runs, for `eval`, `.` and traps; as it is, where it is wrong. */
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

  defineFunction(id: number): void {
    const definition = this.context.registry.functions.get(id);
    if (definition) this.#addFunction(definition);
  }

  #addFunction(definition: FunctionDefinition): void {
    this.transform.functionNames.add(definition.name);
    this.functions.set(definition.name, definition);
  }

  async writeOutput(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (bytes.length > 0) await this.options.stdout(bytes);
  }

  /** Writes errors, in which messages of the interpreter get the reasons that it does not give. */
  async writeError(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    const described = describeDiagnostic(bytes, this.files.takeOpenFailure());
    if (described.length > 0) await this.options.stderr(described);
  }

  /**
   * A command's standard input.
   *
   * @param options.repeats false: of input that never ends, only the beginning.
   */
  inputOf(context: CommandContext, options: { repeats?: boolean } = {}): InputStream {
    const stdin = String(context.stdin);
    if (stdin === LIVE_INPUT) return this.options.input;
    const bytes = fromByteString(stdin) ?? encoder.encode(stdin);
    if (options.repeats === false || !this.isEndless(stdin)) return new InputStream(bytes);
    const { repeats } = this.#endless ?? {};
    return new InputStream(bytes, () => {
      if (!repeats) throw new EndlessInputError(bytes.length);
      return bytes;
    });
  }

  /** Notes the output that the next command of a pipeline reads. */
  keepEndless(output: EndlessOutput): void {
    this.#endless = output;
  }

  /** Whether a command's standard input is the beginning of output that never ends. */
  isEndless(stdin: string): boolean {
    return stdin !== "" && stdin === this.#endless?.text;
  }

  outputOf(context: CommandContext): ByteOutput {
    const write = this.routeOf(context, DESCRIPTORS.stdout);
    return write ? new DirectOutput(write) : new KeptOutput(this.context.limits.pipeBytes);
  }

  /** What writes to a descriptor of the script; undefined: the interpreter takes it. */
  routeOf(context: CommandContext, descriptor: number): Write | undefined {
    const path = outputPath(context, descriptor);
    return path === undefined ? undefined : (bytes) => this.files.appendFile(path, bytes);
  }

  receive(signal: Signal): void {
    if (signal === "KILL" || !this.traps.take(signal)) this.die();
  }

  die(): void {
    if (this.signal.aborted) return;
    this.#death.abort(new DeadProcessError());
  }
}
