import { lookUp } from "../../look-up.ts";
import { fromByteString } from "../byte-strings.ts";
import { readText, splitLines } from "./byte-lines.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";

const OPTIONS = [
  "0,null a,arg-file= d,delimiter= I= i,replace=? L,max-lines= n,max-args= P,max-procs= r,no-run-if-empty",
  "t,verbose x,exit",
].join(" ");

const MAX_COMMAND_BYTES = 128 * 1024;
const MAX_PARALLEL = 16;

const SOME_FAILED = 123;
const ABORTED = 124;
const KILLED = 125;

const DELIMITERS: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\0": "\0" };

/** Words, or lines for `-I`, with quotes and backslashes as in a shell. */
const WORD = /[ \t\n]*((?:'[^'\n]*'|"[^"\n]*"|\\[\s\S]?|[^ \t\n'"\\]+)+)/y;
const LINE = /[ \t\n]*((?:'[^'\n]*'|"[^"\n]*"|\\[\s\S]?|[^\n'"\\]+)+)/y;

type Item = { text: string; endsLine: boolean };

/** @throws UsageError for an unmatched quote, after the items before it. */
function* splitWords(text: string, byLine: boolean): Generator<Item> {
  const pattern = new RegExp(byLine ? LINE : WORD);
  let end = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    end = pattern.lastIndex;
    const word = (match[1] ?? "").replace(/'([^'\n]*)'|"([^"\n]*)"|\\([\s\S]?)/g, "$1$2$3");
    // A blank at the end of a line continues it on the next one.
    yield { text: word, endsLine: end === text.length || text.charAt(end) === "\n" };
  }
  const [, quote] = /^[ \t\n]*(['"])/.exec(text.slice(end)) ?? [];
  if (quote === undefined) return;
  const name = quote === '"' ? "double" : "single";
  const message = `unmatched ${name} quote; by default quotes are special to xargs unless you use the -0 option`;
  throw new UsageError(message, { hint: false });
}

async function readItems(invocation: Invocation, options: ParsedOptions): Promise<Iterable<Item>> {
  const operand = options.value("a") ?? "-";
  let text = "";
  try {
    const bytes = await readText(invocation, await openOperand(invocation, operand));
    text = new TextDecoder().decode(fromByteString(bytes));
  } catch (error) {
    invocation.fail(`Cannot open input file '${operand}': ${errorText(error)}`);
  }
  const delimiter = options.has("0") ? "\\0" : options.value("d");
  if (delimiter === undefined) return splitWords(text, options.has("I", "i"));
  const lines = splitLines(text, lookUp(DELIMITERS, delimiter) ?? delimiter.charAt(0));
  return lines.map((line) => ({ text: line, endsLine: true }));
}

function readNumber(options: ParsedOptions, key: string, least: number): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${key} option`);
  if (Number(text) < least) throw new UsageError(`value ${text} for -${key} option should be >= ${least}`);
  return Number(text);
}

function* commandLines(items: Iterable<Item>, options: ParsedOptions): Generator<[string, ...string[]]> {
  const [name = "echo", ...args] = options.operands;
  const placeholder = options.has("i") ? (options.value("i") ?? "{}") : options.value("I");
  if (placeholder !== undefined) {
    for (const { text } of items)
      yield [name, ...args.map((word) => word.replaceAll(placeholder, () => text))];
    return;
  }
  const byLines = options.last("n", "L") === "L";
  const maxUnits = readNumber(options, byLines ? "L" : "n", 1) ?? Number.POSITIVE_INFINITY;
  let isFirst = true;
  let words: string[] = [];
  let units = 0;
  let bytes = 0;
  for (const { text, endsLine } of items) {
    const added = new TextEncoder().encode(text).length + 1;
    if (added > MAX_COMMAND_BYTES) throw new UsageError("argument line too long", { hint: false });
    if (units >= maxUnits || bytes + added > MAX_COMMAND_BYTES) {
      yield [name, ...args, ...words];
      [words, units, bytes, isFirst] = [[], 0, 0, false];
    }
    words.push(text);
    bytes += added;
    if (!byLines || endsLine) units++;
  }
  if (words.length > 0 || (isFirst && !options.has("r"))) yield [name, ...args, ...words];
}

/** The exit code of xargs if a command's exit code ends it. */
function fatalExitCode(invocation: Invocation, program: string, exitCode: number): number | undefined {
  if (exitCode === 127 || exitCode === 126) return exitCode;
  if (exitCode === 255) {
    invocation.complain(`${program}: exited with status 255; aborting`);
    return ABORTED;
  }
  if (exitCode > 128 && exitCode <= 128 + 64) {
    invocation.complain(`${program}: terminated by signal ${exitCode - 128}`);
    return KILLED;
  }
  return undefined;
}

async function runProgram(
  invocation: Invocation,
  argv: readonly [string, ...string[]],
  options: { input?: "inherited" } = {},
): Promise<number> {
  const decoder = new TextDecoder();
  await invocation.flush();
  return await invocation.environment.run(argv, invocation.context, {
    stdout: (bytes) => invocation.write(bytes),
    stderr: async (bytes) => invocation.say(decoder.decode(bytes, { stream: true })),
    ...options,
  });
}

export const xargs: MachineCommand = {
  name: "xargs",
  usage: "xargs [OPTION]... COMMAND [INITIAL-ARGS]...",
  async run(invocation) {
    const options = invocation.options(OPTIONS, { operandsEndOptions: true });
    const parallel = Math.min(readNumber(options, "P", 0) ?? 1, MAX_PARALLEL) || MAX_PARALLEL;
    const lines = commandLines(await readItems(invocation, options), options);
    let exitCode = 0;
    let fatal: number | undefined;
    const work = async () => {
      for (const line of lines) {
        await invocation.step(4);
        if (options.has("t")) invocation.say(`${line.map(quoteForShell).join(" ")}\n`);
        const code = await runProgram(invocation, line);
        if (code !== 0) exitCode = SOME_FAILED;
        fatal ??= fatalExitCode(invocation, line[0], code);
        if (fatal !== undefined) return;
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    return fatal ?? exitCode;
  },
};

/** Runs a program; there is no terminal whose end it could notice. */
export const nohup: MachineCommand = {
  name: "nohup",
  usage: "nohup COMMAND [ARG]...",
  usageExitCode: 125,
  async run(invocation) {
    const [program, ...args] = invocation.options([], { operandsEndOptions: true }).operands;
    if (program === undefined) throw new UsageError("missing operand");
    return await runProgram(invocation, [program, ...args], { input: "inherited" });
  },
};
