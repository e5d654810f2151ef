import type { Command, ResolvedCommandContext } from "just-bash/browser";
import { FileError } from "../../file-system/file-error.ts";
import type { FileSystem } from "../../file-system/file-system.ts";
import type { Credentials } from "../../users.ts";
import { type ByteInput, EndlessInputError } from "../byte-input.ts";
import { type ByteOutput, KeptOutput } from "../byte-output.ts";
import type { CommandEnvironment, CommandResult } from "../command-environment.ts";
import { errorText } from "./error-text.ts";
import { type OptionPatterns, type ParsedOptions, parseOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

/** Text is handed on in pieces of about this many characters, so that a line costs no call of its own. */
const PRINT_BUFFER_LENGTH = 32 * 1024;

/** How many bytes are as much work as one ordinary step. */
const BYTES_PER_STEP = 16 * 1024;

const encoder = new TextEncoder();

/** A command's work is over, with what it has said so far. */
export class CommandExit extends Error {
  override readonly name = "CommandExit";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Why one of a command's operands cannot be worked on; the others can. */
export class Complaint extends Error {
  override readonly name = "Complaint";
}

/** A program of the machine. */
export interface MachineCommand {
  name: string;
  /** What `--help` shows where no bundled command of the same name knows more. Default: `NAME [OPTION]... [FILE]...` */
  usage?: string;
  /** What follows a complaint of the command line, where it is not the usual line. */
  usageHint?: string;
  /** The exit code of a wrong command line. Default: 1. */
  usageExitCode?: number;
  /** @returns the exit code; without, 1 where anything was complained of, else 0. */
  run(invocation: Invocation): Promise<number | undefined> | Promise<void>;
}

/** One run of a command: its arguments, its streams, and the machine as its user sees it. */
export class Invocation {
  readonly name: string;
  readonly args: readonly string[];
  readonly context: ResolvedCommandContext;
  readonly environment: CommandEnvironment;
  readonly #output: ByteOutput;
  #input: ByteInput | undefined;
  #printed = "";
  #errors = "";
  #hasFailed = false;
  #endless: { keptBytes: number; repeats: boolean } | undefined;
  #written = 0;
  #isCut = false;

  constructor(
    name: string,
    args: readonly string[],
    context: ResolvedCommandContext,
    environment: CommandEnvironment,
  ) {
    this.name = name;
    this.args = args;
    this.context = context;
    this.environment = environment;
    this.#output = environment.output(context);
  }

  get files(): FileSystem {
    return this.environment.files;
  }

  get credentials(): Credentials {
    return this.environment.credentials;
  }

  /** Standard input, taken when a command first asks for it: what nobody asks for stays for the next command. */
  get input(): ByteInput {
    if (!this.#input) {
      this.#input = this.environment.input(this.context);
      if (this.#input.isEndless) {
        this.neverEnds({ keptBytes: this.environment.limits.pipeBytes, repeats: false });
      }
    }
    return this.#input;
  }

  /**
   * Says that what it writes has no end. Where the output is kept, only its beginning is.
   *
   * @param options.keptBytes how much that is.
   * @param options.repeats whether the same bytes follow again.
   */
  neverEnds(options: { keptBytes: number; repeats: boolean }): void {
    if (this.#output instanceof KeptOutput) this.#endless = options;
  }

  /** Whether it has complained of anything yet. */
  get hasComplained(): boolean {
    return this.#hasFailed;
  }

  /**
   * Reads the command line.
   *
   * @param options.args what to read in its place: where an old form of it has been translated.
   * @throws UsageError
   */
  options(
    patterns: OptionPatterns,
    options: { operandsEndOptions?: boolean; keepsOrder?: boolean; args?: readonly string[] } = {},
  ): ParsedOptions {
    return parseOptions(options.args ?? this.args, patterns, options);
  }

  /** The absolute path of an operand. `..` stays: behind a symlink only the file system knows where it leads. */
  path(operand: string): string {
    // An empty name is no file's, not even the working directory's.
    if (operand === "") throw new FileError("ENOENT", "open", "");
    return operand.startsWith("/") ? operand : `${this.context.cwd.replace(/\/$/, "")}/${operand}`;
  }

  /** Writes text, which may leave later, but before what is written next. */
  async print(text: string): Promise<void> {
    this.#printed += text;
    if (this.#printed.length >= PRINT_BUFFER_LENGTH) await this.flush();
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.flush();
    if (bytes.length > 0) await this.#write(bytes);
  }

  async flush(): Promise<void> {
    if (this.#printed === "") return;
    const bytes = encoder.encode(this.#printed);
    this.#printed = "";
    await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#written += bytes.length;
    if (this.#endless && this.#written > this.#endless.keptBytes) {
      this.#isCut = true;
      throw new CommandExit(0);
    }
    await this.#output.write(bytes);
  }

  /**
   * Makes what it has written the beginning of endless output, because its input has no end.
   *
   * @returns whether the next command can read it so.
   */
  async cutOutput(): Promise<boolean> {
    await this.flush();
    if (this.#written === 0 || !(this.#output instanceof KeptOutput)) return false;
    this.#endless = { keptBytes: this.#written, repeats: false };
    this.#isCut = true;
    return true;
  }

  /** Writes to standard error as it is. */
  say(text: string): void {
    this.#errors += text;
  }

  /** Says what is noteworthy but no failure, behind the command's name. */
  warn(message: string): void {
    this.say(`${this.name}: ${message}\n`);
  }

  /** Says what is wrong. */
  complain(message: string): void {
    this.failSilently();
    this.warn(message);
  }

  /** The exit code shall tell of a failure that nobody wants to hear of. */
  failSilently(): void {
    this.#hasFailed = true;
  }

  /** Complains and ends the command. */
  fail(message: string, exitCode = 1): never {
    this.complain(message);
    throw new CommandExit(exitCode);
  }

  /** Complains of a refusal of the file system, such as ("cannot stat", "x", error); throws what is none. */
  complainOf(what: string, operand: string, error: unknown): void {
    this.complain(`${what} ${quoteName(operand)}: ${errorText(error)}`);
  }

  /** Asks on standard error and takes an answer from standard input. Without one the answer is no. */
  async confirm(question: string): Promise<boolean> {
    this.say(`${this.name}: ${question} `);
    const answer = await this.input.readLine();
    return answer !== undefined && /^[yY]/.test(new TextDecoder().decode(answer));
  }

  /**
   * Does with the file that an operand names what the file system may refuse.
   *
   * @throws Complaint such as "cannot stat 'x': Permission denied".
   */
  attempt<Result>(
    what: string,
    operand: string,
    action: (files: FileSystem, path: string, credentials: Credentials) => Result,
  ): Result {
    try {
      return action(this.files, this.path(operand), this.credentials);
    } catch (error) {
      throw new Complaint(`${what} ${quoteName(operand)}: ${errorText(error)}`);
    }
  }

  /** Works on one operand; a Complaint is said, and ends only this work. */
  async guard(work: () => Promise<void>, { isSilent = false } = {}): Promise<void> {
    await this.step(4);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      if (isSilent) this.failSilently();
      else this.complain(error.message);
    }
  }

  /**
   * To be awaited in each loop: lets others have their turn.
   *
   * @throws the reason of the abort, when the process has died or the command's time is up.
   */
  async step(cost = 1): Promise<void> {
    this.#throwIfAborted();
    await this.environment.slice.step(cost);
    this.#throwIfAborted();
  }

  /** A step over so many bytes. */
  async stepBytes(length: number): Promise<void> {
    await this.step(1 + length / BYTES_PER_STEP);
  }

  async end(exitCode: number): Promise<CommandResult> {
    if (!this.#isCut) await this.flush();
    const result = this.#output.result(exitCode, this.#errors);
    if (this.#isCut) {
      this.environment.keepEndless({ text: result.stdout, repeats: this.#endless?.repeats === true });
    }
    return result;
  }

  #throwIfAborted(): void {
    this.environment.signal.throwIfAborted();
    this.context.signal?.throwIfAborted();
  }
}

async function exitCodeOf(command: MachineCommand, invocation: Invocation): Promise<number> {
  try {
    return (await command.run(invocation)) ?? (invocation.hasComplained ? 1 : 0);
  } catch (error) {
    if (error instanceof CommandExit) return error.exitCode;
    if (error instanceof EndlessInputError && (await invocation.cutOutput())) return 0;
    if (error instanceof UsageError) {
      invocation.complain(error.message);
      if (error.hasHint) {
        invocation.say(`${command.usageHint ?? `Try '${command.name} --help' for more information.`}\n`);
      }
      return error.exitCode ?? command.usageExitCode ?? 1;
    }
    if (error instanceof Complaint) invocation.complain(error.message);
    else if (error instanceof FileError) {
      invocation.complain(error.path === "" ? errorText(error) : `${error.path}: ${errorText(error)}`);
    } else throw error;
    return 1;
  }
}

/** The shell's view of a command. */
export function toShellCommand(command: MachineCommand, environment: CommandEnvironment): Command {
  return {
    name: command.name,
    trusted: true,
    execute: async (args, context) => {
      if (args[0] === "--help" && context.origCommand) return await context.origCommand(args);
      const invocation = new Invocation(command.name, args, context, environment);
      if (args[0] === "--help") {
        await invocation.print(`Usage: ${command.usage ?? `${command.name} [OPTION]... [FILE]...`}\n`);
        return await invocation.end(0);
      }
      return await invocation.end(await exitCodeOf(command, invocation));
    },
  };
}
