import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";
import { runProgram } from "./run-program.ts";
import { readDelimiter, splitAt, splitWords, type XargsItem } from "./xargs-input.ts";

/** The longest command line, in characters. */
const LONGEST_COMMAND = 128 * 1024;

/** More at the same time would only hold more memory: they take turns anyway. */
const MOST_PARALLEL = 16;

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const KILLED = 125;
const ABORTED = 124;
const SOME_FAILED = 123;

const encoder = new TextEncoder();

interface XargsRequest {
  program: readonly [string, ...string[]];
  /** What each item takes the place of; with it one command is run for each. */
  replaced: string | undefined;
  mostItems: number;
  mostLines: number;
  mostCharacters: number;
  parallel: number;
  skipsEmpty: boolean;
  tells: boolean;
}

function readNumber(options: ParsedOptions, key: string, least: number): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${key} option`);
  if (Number(text) < least) throw new UsageError(`value ${text} for -${key} option should be >= ${least}`);
  return Number(text);
}

/** Of the options that say how much goes into a command, the last one counts. */
function readRequest(invocation: Invocation, options: ParsedOptions): XargsRequest {
  const way = options.last("I", "i", "n", "L", "l");
  const items = readNumber(options, "n", 1);
  const lines = readNumber(options, "L", 1);
  // One item for each command is what -I means anyway.
  const replaces = way === "I" || way === "i" || (options.has("I", "i") && items === 1);
  if (replaces && way !== "n" && items !== undefined) {
    const names = "options --max-args and --replace/-I/-i are mutually exclusive";
    invocation.warn(`warning: ${names}, ignoring previous --max-args value`);
  }
  const [program = "echo", ...args] = options.operands;
  const parallel = readNumber(options, "P", 0) ?? 1;
  return {
    program: [program, ...args],
    replaced: replaces ? (options.value("I") ?? options.value("i") ?? "{}") : undefined,
    mostItems: way === "n" && items !== undefined ? items : Number.POSITIVE_INFINITY,
    mostLines:
      way === "L" ? (lines ?? 1) : way === "l" ? Number(options.value("l") ?? 1) : Number.POSITIVE_INFINITY,
    mostCharacters: Math.min(readNumber(options, "s", 1) ?? LONGEST_COMMAND, LONGEST_COMMAND),
    parallel: Math.min(parallel === 0 ? MOST_PARALLEL : parallel, MOST_PARALLEL),
    skipsEmpty: options.has("r"),
    tells: options.has("t"),
  };
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((length, word) => length + encoder.encode(word).length + 1, 0);
}

/** The command lines, each as long as it may be. */
export function* commandLines(
  items: Iterable<XargsItem>,
  request: XargsRequest,
): Generator<readonly [string, ...string[]]> {
  const { program, replaced, mostItems, mostLines, mostCharacters, skipsEmpty } = request;
  const [name, ...fixed] = program;
  if (replaced !== undefined) {
    for (const { text } of items) yield [name, ...fixed.map((word) => word.replaceAll(replaced, () => text))];
    return;
  }
  const base = lengthOf(program);
  let words: string[] = [];
  let length = base;
  let lines = 0;
  let isFirst = true;
  let failure: unknown;
  const noteFailure = (error: unknown) => {
    failure = error;
  };
  for (const { text, endsLine } of untilFailure(items, noteFailure)) {
    const size = lengthOf([text]);
    if (base + size > mostCharacters) {
      throw new UsageError("argument line too long", { hint: false });
    }
    if (words.length >= mostItems || lines >= mostLines || length + size > mostCharacters) {
      yield [name, ...fixed, ...words];
      [words, length, lines, isFirst] = [[], base, 0, false];
    }
    words.push(text);
    length += size;
    if (endsLine) lines++;
  }
  if (words.length > 0 || (isFirst && !skipsEmpty && failure === undefined)) yield [name, ...fixed, ...words];
  if (failure !== undefined) throw failure;
}

/** The items before a mistake in the input: they are run all the same. */
function* untilFailure(
  items: Iterable<XargsItem>,
  onFailure: (error: unknown) => void,
): Generator<XargsItem> {
  try {
    yield* items;
  } catch (error) {
    onFailure(error);
  }
}

async function readInput(invocation: Invocation, operand: string): Promise<string> {
  const decoder = new TextDecoder();
  const limit = invocation.environment.limits.textBytes;
  let text = "";
  try {
    for await (const piece of pieces(await openOperand(invocation, operand))) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > limit) invocation.fail(`input larger than ${limit} bytes: limit of this machine`);
    }
  } catch (error) {
    invocation.fail(`Cannot open input file '${operand}': ${errorText(error)}`);
  }
  return text + decoder.decode();
}

function chooseItems(options: ParsedOptions, text: string, request: XargsRequest): Iterable<XargsItem> {
  const delimiter = options.last("0", "d");
  if (delimiter === "0") return splitAt(text, "\0");
  if (delimiter === "d") return splitAt(text, readDelimiter(options.value("d") ?? ""));
  return splitWords(text, request.replaced !== undefined, options.value("E") ?? options.value("e"));
}

/** What the exit code of one command means for the whole; undefined: the others are run. */
function fatalCode(invocation: Invocation, program: string, exitCode: number): number | undefined {
  if (exitCode === NOT_FOUND || exitCode === NOT_EXECUTABLE) return exitCode;
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
        "E=",
        "e,eof=?",
        "I=",
        "i,replace=?",
        "L,max-lines=",
        "l=?",
        "n,max-args=",
        "P,max-procs=",
        "p,interactive",
        "r,no-run-if-empty",
        "s,max-chars=",
        "t,verbose",
        "x,exit",
      ],
      { operandsEndOptions: true },
    );
    if (options.has("p")) invocation.fail("failed to open /dev/tty for reading: No such device or address");
    const request = readRequest(invocation, options);
    const items = chooseItems(options, await readInput(invocation, options.value("a") ?? "-"), request);
    return await runAll(invocation, commandLines(items, request), request);
  },
};

/** Runs the commands, as many at a time as are wanted. @returns the exit code. */
async function runAll(
  invocation: Invocation,
  lines: Generator<readonly [string, ...string[]]>,
  { parallel, tells }: XargsRequest,
): Promise<number> {
  let exitCode = 0;
  let fatal: number | undefined;
  const work = async () => {
    for (const line of lines) {
      await invocation.step(4);
      if (tells) invocation.say(`${line.map(quoteForShell).join(" ")}\n`);
      const code = await runProgram(invocation, line, { refusal: line[0] });
      if (code !== 0) exitCode = SOME_FAILED;
      fatal ??= fatalCode(invocation, line[0], code);
      if (fatal !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return fatal ?? exitCode;
}
