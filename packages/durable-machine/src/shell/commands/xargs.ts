import { fromByteString } from "../byte-strings.ts";
import { readText, splitLines } from "./byte-lines.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";
import { runProgram } from "./run-program.ts";

/** The longest command line, in bytes. */
const MAX_COMMAND_BYTES = 128 * 1024;

/** More at the same time would only hold more memory: they take turns anyway. */
const MAX_PARALLEL = 16;

const encoder = new TextEncoder();

const KILLED = 125;
const ABORTED = 124;
const SOME_FAILED = 123;

/** An argument of the input, and whether it is the last one of its line. */
interface Item {
  text: string;
  endsLine: boolean;
}

const DELIMITERS: Record<string, string> = {
  "\\n": "\n",
  "\\t": "\t",
  "\\r": "\r",
  "\\0": "\0",
  "\\\\": "\\",
};

/** Words, or with `-I` lines, with quotes and backslashes as a shell has them. A quote ends in its line. */
const WORD = /[ \t\n]*((?:'[^'\n]*'|"[^"\n]*"|\\[\s\S]?|[^ \t\n'"\\]+)+)/y;
const LINE = /[ \t\n]*((?:'[^'\n]*'|"[^"\n]*"|\\[\s\S]?|[^\n'"\\]+)+)/y;

/** @throws UsageError of a quote without its counterpart, behind the items before it. */
function* splitWords(text: string, byLine: boolean): Generator<Item> {
  const pattern = new RegExp(byLine ? LINE : WORD);
  let end = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    end = pattern.lastIndex;
    const word = (match[1] ?? "").replace(/'([^'\n]*)'|"([^"\n]*)"|\\([\s\S]?)/g, "$1$2$3");
    // A blank at the end of a line makes the next one part of it.
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
  const delimiter = options.value("d");
  if (delimiter === undefined && !options.has("0")) {
    return splitWords(text, readReplaced(options) !== undefined);
  }
  const end =
    options.last("0", "d") === "0" || delimiter === undefined
      ? "\0"
      : (DELIMITERS[delimiter] ?? delimiter.charAt(0));
  return splitLines(text, end).map((item) => ({ text: item, endsLine: true }));
}

type CommandLine = readonly [string, ...string[]];

function readNumber(options: ParsedOptions, key: string, least: number): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${key} option`);
  if (Number(text) < least) throw new UsageError(`value ${text} for -${key} option should be >= ${least}`);
  return Number(text);
}

/** What each item takes the place of; undefined: items are added to the command, of which the last option says so. */
function readReplaced(options: ParsedOptions): string | undefined {
  const way = options.last("I", "i", "n", "L");
  // One item for each command is what -I means anyway.
  const replaces = way === "I" || way === "i" || (way === "n" && Number(options.value("n")) === 1);
  if (!options.has("I", "i") || !replaces) return undefined;
  return options.value("I") ?? options.value("i") ?? "{}";
}

function sizeOf(words: readonly string[]): number {
  return words.reduce((size, word) => size + encoder.encode(word).length + 1, 0);
}

/** The command lines, each as long as it may be. */
function* commandLines(items: Iterable<Item>, options: ParsedOptions): Generator<CommandLine> {
  const [name = "echo", ...args] = options.operands;
  const replaced = readReplaced(options);
  if (replaced !== undefined) {
    for (const { text } of items) yield [name, ...args.map((word) => word.replaceAll(replaced, () => text))];
    return;
  }
  const byLines = options.last("n", "L") === "L";
  const maxUnits = readNumber(options, byLines ? "L" : "n", 1) ?? Number.POSITIVE_INFINITY;
  const maxBytes = Math.min(readNumber(options, "s", 1) ?? MAX_COMMAND_BYTES, MAX_COMMAND_BYTES);
  const programBytes = sizeOf([name, ...args]);
  let words: string[] = [];
  let bytes = programBytes;
  let units = 0;
  let isFirst = true;
  for (const { text, endsLine } of items) {
    const added = sizeOf([text]);
    if (programBytes + added > maxBytes) throw new UsageError("argument line too long", { hint: false });
    if (units >= maxUnits || bytes + added > maxBytes) {
      yield [name, ...args, ...words];
      [words, bytes, units, isFirst] = [[], programBytes, 0, false];
    }
    words.push(text);
    bytes += added;
    if (!byLines || endsLine) units++;
  }
  if (words.length > 0 || (isFirst && !options.has("r"))) yield [name, ...args, ...words];
}

/** What the exit code of one command means for the whole; undefined: the others are run. */
function fatalCode(invocation: Invocation, program: string, exitCode: number): number | undefined {
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

export const xargs: MachineCommand = {
  name: "xargs",
  usage: "xargs [OPTION]... COMMAND [INITIAL-ARGS]...",
  async run(invocation) {
    const options = invocation.options(
      [
        "0,null",
        "a,arg-file=",
        "d,delimiter=",
        "I=",
        "i,replace=?",
        "L,max-lines=",
        "n,max-args=",
        "P,max-procs=",
        "r,no-run-if-empty",
        "s,max-chars=",
        "t,verbose",
        "x,exit",
      ],
      { operandsEndOptions: true },
    );
    const parallel = Math.min(readNumber(options, "P", 0) || MAX_PARALLEL, MAX_PARALLEL);
    const items = await readItems(invocation, options);
    const lines = commandLines(items, options);
    let exitCode = 0;
    let fatal: number | undefined;
    const work = async () => {
      for (const line of lines) {
        await invocation.step(4);
        if (options.has("t")) invocation.say(`${line.map(quoteForShell).join(" ")}\n`);
        const code = await runProgram(invocation, line, { refusal: line[0] });
        if (code !== 0) exitCode = SOME_FAILED;
        fatal ??= fatalCode(invocation, line[0], code);
        if (fatal !== undefined) return;
      }
    };
    await Promise.all(Array.from({ length: options.has("P") ? parallel : 1 }, work));
    return fatal ?? exitCode;
  },
};
