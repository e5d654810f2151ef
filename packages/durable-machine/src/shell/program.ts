import { FileError } from "../file-system/file-error.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import { StartError } from "../processes/process.ts";
import type { Credentials } from "../users.ts";
import { errorText } from "./commands/error-text.ts";
import { missingProgram } from "./diagnostics.ts";
import { programName } from "./mounted-files.ts";
import { baseNameOf, joinPath } from "./paths.ts";
import type { ShellProgram } from "./shell-program.ts";
import { isProgramFile } from "./transforms/command-kinds.ts";

export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface ProgramSearch {
  directory: string;
  path: string | undefined;
  files: FileSystem;
  credentials: Credentials;
}

const MAX_SCRIPT_BYTES = 1024 * 1024;

export class ShellUsageError extends StartError {
  override readonly name = "ShellUsageError";

  constructor(message: string) {
    super(message, "command_not_executable");
  }
}

export function toShellProgram(
  [name, ...args]: readonly [string, ...string[]],
  search: ProgramSearch,
): ShellProgram {
  requireDirectory(search);
  const found = findProgram(name, search);
  if (typeof found === "string") {
    if (isShell(found)) return parseShellCommand(name, args, search);
    return { kind: "command", name: "bash", args, program: found };
  }
  const file = name.includes("/") ? name : found.path;
  return { kind: "script", name: file, args, flags: interpreterOptions(found.text), text: found.text, file };
}

function requireDirectory({ directory, files, credentials }: ProgramSearch): void {
  let reason = "permission denied";
  try {
    const isDirectory = files.status(directory, credentials).type === "directory";
    if (isDirectory && files.permits(directory, credentials, 1)) return;
    if (!isDirectory) reason = "not a directory";
  } catch (error) {
    reason = errorText(error);
  }
  throw new StartError(`${directory}: ${reason}`, "no_such_directory");
}

/** The script, or the name of the machine's program, that execvp finds. @throws StartError */
function findProgram(name: string, search: ProgramSearch) {
  const { directory, files, credentials } = search;
  const path = name.includes("/") ? undefined : (search.path ?? DEFAULT_PATH);
  const candidates = path?.split(":").map((each) => joinPath(directory, `${each || "."}/${name}`));
  let denied: string | undefined;
  for (const candidate of candidates ?? [joinPath(directory, name)]) {
    try {
      const isDirectory = files.status(candidate, credentials).type === "directory";
      if (!isDirectory && files.permits(candidate, credentials, 1)) return scriptAt(candidate, search);
      denied ??= candidate;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const isMissing = error.code === "ENOENT" || error.code === "ENOTDIR";
      const program = programName(candidate);
      if (isMissing && program !== undefined && isProgramFile(program)) return program;
      if (!isMissing) denied ??= candidate;
    }
  }
  if (denied !== undefined) throw new StartError(`${denied}: permission denied`, "command_not_executable");
  const usual = path === undefined ? "no such file or directory" : "command not found";
  throw new StartError(`${name}: ${missingProgram(name) ?? usual}`, "command_not_found");
}

function scriptAt(path: string, { files, credentials }: ProgramSearch) {
  const bytes = files.readAll(path, credentials, MAX_SCRIPT_BYTES);
  if (bytes.subarray(0, 256).includes(0)) {
    throw new StartError(`${path}: cannot execute binary file`, "command_not_executable");
  }
  const text = new TextDecoder().decode(bytes);
  const interpreter = interpreterOf(text);
  if (interpreter === undefined || isShell(interpreter)) return { path, text };
  const reason = `${interpreter}: interpreter not available on this machine`;
  throw new StartError(`${path}: ${reason}`, "command_not_executable");
}

function interpreterOf(text: string): string | undefined {
  const [, interpreter, argument] = /^#!\s*(\S+)(?:[ \t]+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
  if (interpreter === undefined) return undefined;
  return baseNameOf(interpreter) === "env" ? argument : interpreter;
}

function isShell(name: string): boolean {
  return ["bash", "sh", "dash"].includes(baseNameOf(name));
}

function interpreterOptions(text: string): string[] {
  return /^#!\s*\S*sh[ \t]+(-\S+)/.exec(text)?.slice(1) ?? [];
}

function parseShellCommand(name: string, args: readonly string[], search: ProgramSearch): ShellProgram {
  const { flags, letters, operands } = parseShellOptions(args);
  const [first, ...others] = operands;
  if (letters.has("c")) {
    const [calledAs = name, ...positional] = others;
    if (first === undefined) throw new ShellUsageError("-c: option requires an argument");
    return { kind: "script", name: calledAs, args: positional, flags, text: first };
  }
  if (first === undefined || letters.has("s")) return { kind: "input", name, args: operands, flags };
  try {
    const { text } = scriptAt(joinPath(search.directory, first), search);
    return { kind: "script", name: first, args: others, flags, text, file: first };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new StartError(`${first}: ${errorText(error)}`, "command_not_found", { cause: error });
  }
}

const IGNORED_OPTIONS: readonly string[] = ["--login", "--norc", "--noprofile", "--posix"];
const FLAGS_OF_SET = "abefhkmnptuvxBCEHPT";
const OTHER_FLAGS = "cilrs";

function parseShellOptions(args: readonly string[]) {
  const flags: string[] = [];
  const letters = new Set<string>();
  const operands = [...args];
  while (/^[-+]/.test(operands[0] ?? "")) {
    const option = operands.shift() ?? "";
    if (option === "--" || option === "-") break;
    if (IGNORED_OPTIONS.includes(option)) continue;
    if (option.startsWith("--")) throw new ShellUsageError(`${option}: invalid option`);
    const sign = option.charAt(0);
    for (const letter of option.slice(1)) {
      letters.add(letter);
      if (letter === "o" || letter === "O") flags.push(`${sign}${letter}`, operands.shift() ?? "");
      else if (FLAGS_OF_SET.includes(letter)) flags.push(`${sign}${letter}`);
      else if (!OTHER_FLAGS.includes(letter)) throw new ShellUsageError(`${sign}${letter}: invalid option`);
    }
  }
  return { flags, letters, operands };
}
