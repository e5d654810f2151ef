import type { ExecResult, ResolvedCommandContext } from "just-bash/browser";
import { FileError } from "../file-system/file-error.ts";
import { mendAwk } from "./bundled-awk.ts";
import { mendDate } from "./bundled-date.ts";
import { isGrepSilent, mendGrep } from "./bundled-grep.ts";
import { mendSed } from "./bundled-sed.ts";
import { errorText } from "./commands/error-text.ts";
import { UsageError } from "./commands/options.ts";
import { joinPath } from "./paths.ts";

/** What a mended call needs of the files. Paths are as they stand on the command line. */
export interface CallFiles {
  /** @throws FileError */
  readText(path: string): Promise<string>;
  /** Keeps a file's contents under another name as well. @throws FileError */
  copy(path: string, to: string): Promise<void>;
  /** In milliseconds since the epoch. @throws FileError */
  modifiedAt(path: string): Promise<number>;
  /** The zone that times are given in, as TZ names it. */
  readonly zone: string;
}

type Mend = (args: readonly string[], files: CallFiles) => Promise<string[]> | string[];

const MENDS: ReadonlyMap<string, Mend> = new Map<string, Mend>([
  ["awk", mendAwk],
  ["date", mendDate],
  ["egrep", mendGrep],
  ["fgrep", mendGrep],
  ["grep", mendGrep],
  ["sed", mendSed],
]);

const TROUBLE = 2;

/**
 * The command line that makes a bundled command do what the usual program does with the given one: bundled commands
 * know fewer options, and take some of them otherwise.
 *
 * @throws UsageError where the bundled command had better say itself what it does not know; FileError.
 */
export async function mendArguments(
  name: string,
  args: readonly string[],
  files: CallFiles,
): Promise<string[]> {
  return (await MENDS.get(name)?.(args, files)) ?? [...args];
}

/** Runs a bundled command, with its command line and its exit code as the usual program has them. */
export async function runMended(
  name: string,
  run: (args: string[]) => Promise<ExecResult>,
  { args, context }: { args: string[]; context: ResolvedCommandContext },
): Promise<ExecResult> {
  const { fs, cwd } = context;
  const files: CallFiles = {
    readText: (path) => fs.readFile(joinPath(cwd, path)),
    copy: (path, to) => fs.cp(joinPath(cwd, path), joinPath(cwd, to)),
    modifiedAt: async (path) => (await fs.stat(joinPath(cwd, path))).mtime.getTime(),
    zone: context.env.get("TZ") ?? "",
  };
  try {
    const result = await run(await mendArguments(name, args, files));
    return name.endsWith("grep") ? mendGrepResult(args, result) : result;
  } catch (error) {
    if (error instanceof UsageError) return withFailure(name, await run(args));
    if (!(error instanceof FileError)) throw error;
    return { stdout: "", stderr: `${name}: ${error.path}: ${errorText(error)}\n`, exitCode: TROUBLE };
  }
}

/** Only the search without a match ends with 1. */
function withFailure(name: string, result: ExecResult): ExecResult {
  return name.endsWith("grep") && result.stderr !== "" ? { ...result, exitCode: TROUBLE } : result;
}

function mendGrepResult(args: readonly string[], result: ExecResult): ExecResult {
  const failed = withFailure("grep", result);
  return isGrepSilent(args) ? { ...failed, stderr: "" } : failed;
}
