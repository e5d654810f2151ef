import {
  type Command,
  type ExecResult,
  getCommandNames,
  type ResolvedCommandContext,
} from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import { bundledArguments } from "./bundled-arguments.ts";
import { endlessInputMessage } from "./byte-input.ts";
import { errorText } from "./commands/error-text.ts";
import { UsageError } from "./commands/options.ts";
import { bundledCommand } from "./just-bash.ts";
import { readLimitOf } from "./limits.ts";
import type { CommandCall } from "./mounted-files.ts";
import { runPiecewise, sedPiecewise } from "./piecewise.ts";
import { ProgramError } from "./program-error.ts";
import type { Shell } from "./shell.ts";
import { readsWholeInput } from "./transforms/command-kinds.ts";

interface Call {
  shell: Shell;
  name: string;
  given: string[];
  context: ResolvedCommandContext;
}

const TROUBLE = 2;

/** The interpreter's own commands. Each gets no more input than it can process in time. */
export function newBundledCommands(shell: Shell, replaced: ReadonlySet<string>): Command[] {
  return getCommandNames()
    .filter((name) => !replaced.has(name))
    .map((name) => ({
      name,
      trusted: true,
      execute: (given, context) => run({ shell, name, given, context }),
    }));
}

async function run(call: Call): Promise<ExecResult> {
  const { shell, name, given, context } = call;
  shell.workBudget.renew();
  const result = await runTranslated(call);
  const stdin = String(context.stdin);
  if (result.exitCode > 1 || !readsWholeInput(name, given) || !shell.isEndless(stdin)) return result;
  const stderr = `${result.stderr}${name}: standard input: ${endlessInputMessage(stdin.length)}\n`;
  return { ...result, stderr, exitCode: TROUBLE };
}

async function runTranslated(call: Call): Promise<ExecResult> {
  const { name, given, context } = call;
  try {
    return await runLimited(call, await bundledArguments(name, given, context));
  } catch (error) {
    if (error instanceof FileError) return failure(name, `${error.path}: ${errorText(error)}`);
    if (error instanceof ProgramError) return failure(name, error.message);
    if (!(error instanceof UsageError)) throw error;
    return await runLimited(call, given);
  }
}

function failure(name: string, message: string): ExecResult {
  return { stdout: "", stderr: `${name}: ${message}\n`, exitCode: TROUBLE };
}

async function runLimited({ shell, name, given, context }: Call, args: string[]): Promise<ExecResult> {
  const limit = readLimitOf(name);
  const stdin = limit && readsWholeInput(name, given) ? String(context.stdin) : "";
  let excess = "standard input";
  if (!limit || stdin.length <= limit.bytes) {
    const errors: string[] = [];
    const call: CommandCall = {
      input: () => shell.inputOf(context),
      ...(limit && { limit }),
      readBytes: 0,
      errors,
    };
    const result = await shell.files.during(call, () => bundledCommand(context)(args));
    if (!limit || call.excess === undefined) return { ...result, stderr: errors.join("") + result.stderr };
    excess = call.excess;
  }
  const plan = name === "sed" ? sedPiecewise(args) : undefined;
  const result = plan && (await runPiecewise(shell, name, plan, context, limit.bytes));
  const message = `${excess}: input larger than ${limit.bytes} bytes: limit of this machine`;
  return result ?? failure(name, message);
}
