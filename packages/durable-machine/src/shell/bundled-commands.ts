import {
  type Command,
  type ExecResult,
  getCommandNames,
  type ResolvedCommandContext,
} from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import { bundledArguments, type CallFiles, isGrepSilent } from "./bundled-arguments.ts";
import { endlessInputMessage } from "./byte-input.ts";
import { resultBytes, toByteString } from "./byte-strings.ts";
import { COMMAND_LIMITS, type CommandLimit } from "./command-limits.ts";
import { errorText } from "./commands/error-text.ts";
import { UsageError } from "./commands/options.ts";
import { bundledCommand } from "./just-bash.ts";
import { joinPath } from "./paths.ts";
import { countLines, piecewise, renumber, splitAtLines } from "./piecewise.ts";
import type { Shell } from "./shell.ts";
import { readsWholeInput } from "./transforms/command-kinds.ts";

const TROUBLE = 2;
const PIECES_PER_LIMIT = 8;

/**
 * The interpreter's own commands, called by way of the machine, so that it knows who reads a file, a command or the
 * interpreter itself, and that no command is given more than it gets through in time.
 *
 * @param replaced names of commands that the machine has itself.
 */
export function newBundledCommands(shell: Shell, replaced: ReadonlySet<string>): Command[] {
  return getCommandNames()
    .filter((name) => !replaced.has(name))
    .map((name) => ({
      name,
      trusted: true,
      execute: (args, context) => new BundledCall(shell, name, args, context).run(),
    }));
}

/** One call of a bundled command. */
class BundledCall {
  readonly #shell: Shell;
  readonly #name: string;
  readonly #given: string[];
  readonly #context: ResolvedCommandContext;
  readonly #isGrep: boolean;

  constructor(shell: Shell, name: string, args: string[], context: ResolvedCommandContext) {
    this.#shell = shell;
    this.#name = name;
    this.#given = args;
    this.#context = context;
    this.#isGrep = name.endsWith("grep");
  }

  async run(): Promise<ExecResult> {
    this.#shell.workBudget.renew();
    const result = await this.#translated();
    const stdin = String(this.#context.stdin);
    if (result.exitCode > 1 || !readsWholeInput(this.#name, this.#given) || !this.#shell.isEndless(stdin)) {
      return result;
    }
    const stderr = `${result.stderr}${this.#name}: standard input: ${endlessInputMessage(stdin.length)}\n`;
    return { ...result, stderr, exitCode: TROUBLE };
  }

  /** Runs it with its command line and its exit code as the usual program has them. */
  async #translated(): Promise<ExecResult> {
    try {
      const args = await bundledArguments(this.#name, this.#given, this.#files());
      const result = this.#withTrouble(await this.#limited(args));
      return this.#isGrep && isGrepSilent(this.#given) ? { ...result, stderr: "" } : result;
    } catch (error) {
      if (error instanceof UsageError) return this.#withTrouble(await this.#limited(this.#given));
      if (!(error instanceof FileError)) throw error;
      return this.#failure(`${error.path}: ${errorText(error)}`);
    }
  }

  /** Of grep, only the search without a match ends with 1. */
  #withTrouble(result: ExecResult): ExecResult {
    return this.#isGrep && result.stderr !== "" ? { ...result, exitCode: TROUBLE } : result;
  }

  #failure(message: string): ExecResult {
    return { stdout: "", stderr: `${this.#name}: ${message}\n`, exitCode: TROUBLE };
  }

  #files(): CallFiles {
    const { fs, cwd, env } = this.#context;
    return {
      readText: (path) => fs.readFile(joinPath(cwd, path)),
      copy: (path, to) => fs.cp(joinPath(cwd, path), joinPath(cwd, to)),
      modifiedAt: async (path) => (await fs.stat(joinPath(cwd, path))).mtime.getTime(),
      zone: env.get("TZ") ?? "",
    };
  }

  async #limited(args: string[]): Promise<ExecResult> {
    const run = bundledCommand(this.#context);
    const limit = COMMAND_LIMITS.get(this.#name);
    if (!limit) return await run(args);
    let excess: string | undefined;
    // Asking for input is taking it: only of a command that will.
    const input = readsWholeInput(this.#name, this.#given) ? String(this.#context.stdin) : "";
    if (input.length > limit.bytes) excess = "standard input";
    else {
      const limited = await this.#shell.files.limited(limit, () => run(args));
      if (limited.excess === undefined) return limited.result;
      excess = limited.excess;
    }
    const message = `${excess}: input larger than ${limit.bytes} bytes: limit of this machine`;
    return (await this.#inPieces(args, limit)) ?? this.#failure(message);
  }

  /** Runs it for one piece of its input after the other. @returns undefined: it cannot be done so. */
  async #inPieces(args: string[], limit: CommandLimit): Promise<ExecResult | undefined> {
    const shell = this.#shell;
    const context = this.#context;
    const plan = piecewise(this.#name, args);
    if (!plan || !context.exec) return undefined;
    const bytes =
      plan.file === undefined
        ? await shell.inputOf(context, { repeats: false }).readAll(shell.context.limits.pipeBytes)
        : await shell.files.readFileBuffer(joinPath(context.cwd, plan.file));
    // A piece is worked through in about a tenth of a second.
    const pieces = splitAtLines(bytes, limit.bytes / PIECES_PER_LIMIT);
    if (!pieces) return undefined;
    const output = shell.outputOf(context);
    const codes: number[] = [];
    let lines = 0;
    let count = 0;
    for (const piece of pieces) {
      const result = await context.exec(this.#name, {
        cwd: context.cwd,
        args: plan.args,
        stdin: toByteString(piece),
        stdinKind: "bytes",
        ...(context.signal ? { signal: context.signal } : {}),
      });
      codes.push(result.exitCode);
      if (result.stderr !== "") return { ...output.result(result.exitCode), stderr: result.stderr };
      if (plan.results === "count") count += Number(result.stdout);
      else if (plan.results === "line numbers") {
        await output.write(resultBytes({ ...result, stdout: renumber(result.stdout, lines) }));
        lines += countLines(piece);
      } else await output.write(resultBytes(result));
      await shell.context.slice.rest();
    }
    if (plan.results === "count") await output.write(new TextEncoder().encode(`${count}\n`));
    return output.result(Math.min(...codes));
  }
}
