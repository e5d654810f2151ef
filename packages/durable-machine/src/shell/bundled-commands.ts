import {
  type Command,
  type ExecResult,
  getCommandNames,
  type ResolvedCommandContext,
} from "just-bash/browser";
import { runMended } from "./bundled-arguments.ts";
import { endlessInputMessage } from "./byte-input.ts";
import { resultBytes, toByteString } from "./byte-strings.ts";
import { COMMAND_LIMITS } from "./command-limits.ts";
import { joinPath } from "./paths.ts";
import { countLines, piecewise, renumber, splitAtLines } from "./piecewise.ts";
import type { Shell } from "./shell.ts";
import { readsWholeInput } from "./transforms/command-kinds.ts";

/**
 * The interpreter's own commands, by way of the machine: so it knows who reads a file, a command or the interpreter
 * itself, and no command is given more than it gets through in time.
 *
 * @param replaced names of commands that the machine has itself.
 */
export function newBundledCommands(shell: Shell, replaced: ReadonlySet<string>): Command[] {
  return getCommandNames()
    .filter((name) => !replaced.has(name))
    .map((name) => ({
      name,
      trusted: true,
      execute: (args, context) => runBundled(shell, name, args, context),
    }));
}

async function runBundled(
  shell: Shell,
  name: string,
  args: string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  const result = await runLimited(shell, name, args, context);
  const stdin = String(context.stdin);
  if (result.exitCode > 1 || !readsWholeInput(name, args) || !shell.isEndless(stdin)) return result;
  const stderr = `${result.stderr}${name}: standard input: ${endlessInputMessage(stdin.length)}\n`;
  return { ...result, stderr, exitCode: 2 };
}

async function runLimited(
  shell: Shell,
  name: string,
  args: string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  if (!context.origCommand) throw new Error("no such command");
  const bundled = context.origCommand;
  const run = (given: string[]) => runMended(name, bundled, { args: given, context });
  const limit = COMMAND_LIMITS.get(name);
  shell.workBudget.renew();
  if (!limit) return await run(args);
  // Asking for input is taking it: only of a command that will.
  const input = readsWholeInput(name, args) ? String(context.stdin) : "";
  if (input.length > limit.bytes) {
    return (await runInPieces(shell, name, args, context)) ?? tooLarge(name, "standard input", limit.bytes);
  }
  const { result, excess } = await shell.files.limited(limit, () => run(args));
  if (excess === undefined) return result;
  return (await runInPieces(shell, name, args, context)) ?? tooLarge(name, excess, limit.bytes);
}

function tooLarge(name: string, what: string, bytes: number): ExecResult {
  const stderr = `${name}: ${what}: input larger than ${bytes} bytes: limit of this machine\n`;
  return { stdout: "", stderr, exitCode: 2 };
}

/** Runs a command for one piece of its input after the other. @returns undefined: it cannot be done so. */
async function runInPieces(
  shell: Shell,
  name: string,
  args: string[],
  context: ResolvedCommandContext,
): Promise<ExecResult | undefined> {
  const plan = piecewise(name, args);
  const limit = COMMAND_LIMITS.get(name);
  if (!plan || !limit || !context.exec) return undefined;
  const bytes = await wholeInput(shell, plan.file, context);
  // A piece is worked through in about a tenth of a second.
  const pieces = splitAtLines(bytes, limit.bytes / PIECES_PER_LIMIT);
  if (!pieces) return undefined;
  const output = shell.outputOf(context);
  const codes: number[] = [];
  let lines = 0;
  let count = 0;
  for (const piece of pieces) {
    const result = await context.exec(name, {
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
  return output.result(plan.exitCode === "any" ? Math.min(...codes) : (codes.at(-1) ?? 0));
}

async function wholeInput(
  shell: Shell,
  file: string | undefined,
  context: ResolvedCommandContext,
): Promise<Uint8Array> {
  if (file === undefined) {
    return await shell.inputOf(context, { repeats: false }).readAll(shell.context.limits.pipeBytes);
  }
  return await shell.files.readFileBuffer(joinPath(context.cwd, file));
}

const PIECES_PER_LIMIT = 8;
