import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { SetUpError } from "./set-up-error.ts";

const TAIL_LINES = 30;
const STILL_RUNNING_MS = 10_000;

export interface CommandOptions {
  /** What it does, for messages: "Bundling the Worker". */
  title: string;
  env?: NodeJS.ProcessEnv;
  /** Ends it. */
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Null: a signal ended it. */
  code: number | null;
  /** Standard output. */
  output: string;
  /** Standard output and standard error, as they came. */
  everything: string;
}

/**
 * Runs a program to its end and keeps its output to itself.
 *
 * @throws SetUpError when it does not start; the signal's reason when it aborts.
 */
export async function captureCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { title, env = process.env, signal } = options;
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env, ...(signal && { signal }) });
  let output = "";
  let everything = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    everything += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    everything += text;
  });
  const started = Date.now();
  const reminder = setInterval(() => {
    console.log(`${title}: ${Math.round((Date.now() - started) / 1000)} s so far …`);
  }, STILL_RUNNING_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      // An abort is an error as well, but then the program still runs for a moment.
      child.on("error", (error) => signal?.aborted || reject(error));
      child.on("close", resolve);
    });
    signal?.throwIfAborted();
    return { code, output, everything };
  } catch (error) {
    signal?.throwIfAborted();
    throw new SetUpError(`${title} failed: ${error instanceof Error ? error.message : error}`);
  } finally {
    clearInterval(reminder);
  }
}

/**
 * The same, for a program that must succeed; answers its standard output.
 *
 * @throws SetUpError with the end of all it wrote.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { code, output, everything } = await captureCommand(file, args, options);
  if (code === 0) return output;
  throw new SetUpError(`${options.title} failed:\n\n${lastLines(everything)}`);
}

/** The end of a program's output, without blank lines at its edges. */
function lastLines(output: string): string {
  return stripVTControlCharacters(output).trim().split("\n").slice(-TAIL_LINES).join("\n");
}
