import { FileError } from "../file-system/file-error.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import { StartError } from "../machine.ts";
import type { Credentials } from "../users.ts";
import { missingProgram, reasonOf } from "./diagnostics.ts";
import { programName } from "./mounted-files.ts";
import { baseNameOf, joinPath } from "./paths.ts";

/** Where programs are looked for by their names. */
export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What execvp finds by a name: a program of the machine, or a script for its shell. */
export type Program = { kind: "program"; name: string } | { kind: "script"; path: string; text: string };

/** Where programs are looked for, and by whom. */
export interface ProgramSearch {
  directory: string;
  /** The variable PATH. */
  path: string;
  files: FileSystem;
  credentials: Credentials;
  /** Whether the machine has a program of this name. */
  isProgram: (name: string) => boolean;
}

const MAX_SCRIPT_BYTES = 1024 * 1024;

/** @throws StartError where nothing is found, or where it may not or cannot be run. */
export function resolveProgram(name: string, search: ProgramSearch): Program {
  requireDirectory(search);
  const candidates = name.includes("/")
    ? [joinPath(search.directory, name)]
    : search.path.split(":").map((directory) => joinPath(joinPath(search.directory, directory || "."), name));
  let refusal: StartError | undefined;
  for (const path of candidates) {
    const found = programAt(path, search);
    if (found instanceof StartError) refusal ??= found;
    else if (found) return found;
  }
  throw refusal ?? notFound(name);
}

function notFound(name: string): StartError {
  const usual = name.includes("/") ? "no such file or directory" : "command not found";
  const reason = missingProgram(name) ?? usual;
  return new StartError(`${name}: ${reason}`, "command_not_found");
}

function requireDirectory({ directory, files, credentials }: ProgramSearch): void {
  try {
    if (files.status(directory, credentials).type !== "directory")
      throw new StartError(`${directory}: not a directory`, "no_such_directory");
    if (!files.permits(directory, credentials, 1)) {
      throw new StartError(`${directory}: permission denied`, "no_such_directory");
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new StartError(`${directory}: ${reasonOf(error)}`, "no_such_directory", { cause: error });
  }
}

/** @returns undefined: nothing is there. */
function programAt(path: string, search: ProgramSearch): Program | StartError | undefined {
  const { files, credentials, isProgram } = search;
  try {
    const { type } = files.status(path, credentials);
    if (type === "directory" || !files.permits(path, credentials, 1)) {
      return new StartError(`${path}: permission denied`, "command_not_executable");
    }
    return script(path, search);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
      return new StartError(`${path}: permission denied`, "command_not_executable");
    const name = programName(path);
    return name !== undefined && isProgram(name) ? { kind: "program", name } : undefined;
  }
}

/** A script that a shell is given to read, which need not be executable. @throws StartError */
export function readScript(name: string, search: ProgramSearch): Extract<Program, { kind: "script" }> {
  const path = joinPath(search.directory, name);
  try {
    const found = script(path, search);
    if (found instanceof StartError) throw found;
    return found;
  } catch (error) {
    if (error instanceof FileError)
      throw new StartError(`${name}: ${reasonOf(error)}`, "command_not_found", { cause: error });
    throw error;
  }
}

function script(
  path: string,
  { files, credentials }: ProgramSearch,
): Extract<Program, { kind: "script" }> | StartError {
  const bytes = files.readAll(path, credentials, MAX_SCRIPT_BYTES);
  if (bytes.subarray(0, 256).includes(0))
    return new StartError(`${path}: cannot execute binary file`, "command_not_executable");
  const text = new TextDecoder().decode(bytes);
  const interpreter = interpreterOf(text);
  if (interpreter !== undefined && !isShell(interpreter)) {
    const reason = `${interpreter}: interpreter not available on this machine`;
    return new StartError(`${path}: ${reason}`, "command_not_executable");
  }
  return { kind: "script", path, text };
}

/** The program that a script's first line names. */
function interpreterOf(text: string): string | undefined {
  const [, interpreter, argument] = /^#!\s*(\S+)(?:[ \t]+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
  if (interpreter === undefined) return undefined;
  return baseNameOf(interpreter) === "env" ? argument : interpreter;
}

/** Whether a program is one of the names of the machine's shell. */
export function isShell(name: string): boolean {
  return ["bash", "sh", "dash"].includes(baseNameOf(name));
}

/** Options that a script's first line gives its shell, as in `#!/bin/bash -e`. */
export function interpreterOptions(text: string): string[] {
  const [line = ""] = text.split("\n", 1);
  return /^#!\s*\S*sh\s+(-\S+)/.exec(line)?.slice(1) ?? [];
}
