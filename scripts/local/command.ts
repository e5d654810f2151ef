import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { errorText, SetUpError } from "./set-up-error.ts";

const TAIL_LINES = 30;
const PROGRESS_INTERVAL_MS = 10_000;

export interface CommandOptions {
  /** For messages, such as "Bundling the Worker". */
  title: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/**
 * Runs a command and captures its output.
 *
 * @throws SetUpError when it does not start, and the signal's reason on an abort.
 */
export async function captureCommand(file: string, args: readonly string[], options: CommandOptions) {
  const { title, env = process.env, signal } = options;
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env, ...(signal && { signal }) });
  let stdout = "";
  /** stdout and stderr, interleaved. */
  let combined = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    combined += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    combined += text;
  });
  const startedAt = Date.now();
  const reminder = setInterval(() => {
    console.log(`${title}: ${Math.round((Date.now() - startedAt) / 1000)} s …`);
  }, PROGRESS_INTERVAL_MS);
  try {
    /** Null when a signal ended the command. */
    const code = await new Promise<number | null>((resolve, reject) => {
      // On an abort, wait until the command has exited.
      child.on("error", (error) => signal?.aborted || reject(error));
      child.on("close", resolve);
    });
    signal?.throwIfAborted();
    return { code, stdout, combined };
  } catch (error) {
    signal?.throwIfAborted();
    throw new SetUpError(`${title} failed: ${errorText(error)}`);
  } finally {
    clearInterval(reminder);
  }
}

/** Runs a command that must succeed. @returns its stdout. @throws SetUpError with the end of its output. */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { code, stdout, combined } = await captureCommand(file, args, options);
  if (code === 0) return stdout;
  throw new SetUpError(`${options.title} failed:\n\n${lastLines(combined)}`);
}

function lastLines(output: string): string {
  return stripVTControlCharacters(output).trim().split("\n").slice(-TAIL_LINES).join("\n");
}
