import {
  type Command,
  type ExecResult,
  getCommandNames,
  type ResolvedCommandContext,
} from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import { bundledArguments, isGrepSilent, withHere } from "./bundled-arguments.ts";
import { endlessInputMessage } from "./byte-input.ts";
import { errorText } from "./commands/error-text.ts";
import { UsageError } from "./commands/options.ts";
import { bundledCommand } from "./just-bash.ts";
import { readLimitOf } from "./limits.ts";
import type { CommandCall } from "./mounted-files.ts";
import { piecewise, runPiecewise } from "./piecewise.ts";
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
const PIECES_PER_LIMIT = 8;

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
  let result: ExecResult;
  try {
    const args = await bundledArguments(name, given, context);
    result = await runLimited(call, args);
    if (name.endsWith("grep")) result = { ...result, stdout: withHere(result.stdout, args) };
  } catch (error) {
    if (error instanceof FileError) return failure(name, `${error.path}: ${errorText(error)}`);
    if (error instanceof ProgramError) return failure(name, error.message);
    if (!(error instanceof UsageError)) throw error;
    result = await runLimited(call, given);
  }
  if (!name.endsWith("grep") || result.stderr === "") return result;
  return { ...result, exitCode: TROUBLE, ...(isGrepSilent(given) ? { stderr: "" } : {}) };
}

function failure(name: string, message: string): ExecResult {
  return { stdout: "", stderr: `${name}: ${message}\n`, exitCode: TROUBLE };
}

async function runLimited({ shell, name, given, context }: Call, args: string[]): Promise<ExecResult> {
  const bundled = bundledCommand(context);
  const limit = readLimitOf(name);
  if (!limit) return await bundled(args);
  const stdin = readsWholeInput(name, given) ? String(context.stdin) : "";
  let excess = "standard input";
  if (stdin.length <= limit.bytes) {
    const call: CommandCall = { input: () => shell.inputOf(context), limit, readBytes: 0 };
    const result = await shell.files.during(call, () => bundled(args));
    if (call.excess === undefined) return result;
    excess = call.excess;
  }
  const plan = piecewise(name, args);
  const result = plan && (await runPiecewise(shell, name, plan, context, limit.bytes / PIECES_PER_LIMIT));
  const message = `${excess}: input larger than ${limit.bytes} bytes: limit of this machine`;
  return result ?? failure(name, message);
}
