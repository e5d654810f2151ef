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

/** Characters of text that are gathered before they are written. */
const PRINT_BUFFER_LENGTH = 32 * 1024;

const BYTES_PER_STEP = 16 * 1024;

const encoder = new TextEncoder();

export class CommandExit extends Error {
  override readonly name = "CommandExit";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** One operand of a command has failed; the command continues with the others. */
export class Complaint extends Error {
  override readonly name = "Complaint";
}

export interface MachineCommand {
  name: string;
  /** Default: `NAME [OPTION]... [FILE]...` */
  usage?: string;
  /** The line that follows a usage error. Default: `Try 'NAME --help' for more information.` */
  usageHint?: string;
  /** The exit code of a usage error. Default: 1. */
  usageExitCode?: number;
  /** @returns the exit code. Default: 1 if an error was reported, else 0. */
  run(invocation: Invocation): Promise<number | undefined> | Promise<void>;
}

export class Invocation {
  readonly name: string;
  readonly args: readonly string[];
  readonly context: ResolvedCommandContext;
  readonly environment: CommandEnvironment;
  readonly files: FileSystem;
  readonly credentials: Credentials;
  hasComplained = false;
  readonly #output: ByteOutput;
  #input: ByteInput | undefined;
  #printed = "";
  #errors = "";
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
    this.files = environment.files;
    this.credentials = environment.credentials;
    this.#output = environment.output(context);
  }

  /** Standard input. A command that never asks for it leaves it to the next command. */
  get input(): ByteInput {
    if (!this.#input) {
      this.#input = this.environment.input(this.context);
      if (this.#input.isEndless) {
        this.neverEnds({ keptBytes: this.environment.limits.pipeBytes, repeats: false });
      }
    }
    return this.#input;
  }

  /** Declares that the output has no end. A pipe gets only its first bytes, repeatedly with `repeats`. */
  neverEnds(options: { keptBytes: number; repeats: boolean }): void {
    if (this.#output instanceof KeptOutput) this.#endless = options;
  }

  /** @param options.args replaces the command line. @throws UsageError */
  options(
    patterns: OptionPatterns,
    options: { operandsEndOptions?: boolean; keepsOrder?: boolean; args?: readonly string[] } = {},
  ): ParsedOptions {
    return parseOptions(options.args ?? this.args, patterns, options);
  }

  /** The absolute path of an operand. `..` stays because it may follow a symlink. */
  path(operand: string): string {
    // An empty name does not mean the working directory.
    if (operand === "") throw new FileError("ENOENT", "open", "");
    return operand.startsWith("/") ? operand : `${this.context.cwd.replace(/\/$/, "")}/${operand}`;
  }

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

  /** Keeps what it has written as the beginning of endless output, if the output is kept for a pipe. */
  async cutOutput(): Promise<boolean> {
    await this.flush();
    if (this.#written === 0 || !(this.#output instanceof KeptOutput)) return false;
    this.#endless = { keptBytes: this.#written, repeats: false };
    this.#isCut = true;
    return true;
  }

  say(text: string): void {
    this.#errors += text;
  }

  warn(message: string): void {
    this.say(`${this.name}: ${message}\n`);
  }

  /** Reports an error, so that the command fails. */
  complain(message: string): void {
    this.hasComplained = true;
    this.warn(message);
  }

  fail(message: string, exitCode = 1): never {
    this.complain(message);
    throw new CommandExit(exitCode);
  }

  async confirm(question: string): Promise<boolean> {
    this.say(`${this.name}: ${question} `);
    const answer = await this.input.readLine();
    return answer !== undefined && /^[yY]/.test(new TextDecoder().decode(answer));
  }

  /** Works on the file an operand names. @throws Complaint such as "cannot stat 'x': Permission denied". */
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

  async guard(work: () => Promise<void>, { isSilent = false } = {}): Promise<void> {
    await this.step(4);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      if (isSilent) this.hasComplained = true;
      else this.complain(error.message);
    }
  }

  /** Gives other sessions a turn; each loop awaits it. @throws the abort's reason if the process has died. */
  async step(cost = 1): Promise<void> {
    this.#throwIfAborted();
    await this.environment.slice.step(cost);
    this.#throwIfAborted();
  }

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
