import { FileError } from "../file-system/file-error.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import { StartError } from "../processes/process.ts";
import type { Credentials } from "../users.ts";
import { missingProgram, reasonOf } from "./diagnostics.ts";
import { programName } from "./mounted-files.ts";
import { baseNameOf, joinPath } from "./paths.ts";

export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What execvp finds by a name: a program of the machine, or a script for its shell. */
export type Program = { kind: "program"; name: string } | Script;

interface Script {
  kind: "script";
  path: string;
  text: string;
}

export interface ProgramSearch {
  directory: string;
  path: string;
  files: FileSystem;
  credentials: Credentials;
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
    try {
      const found = programAt(path, search);
      if (found) return found;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      refusal ??= error;
    }
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
    const isDirectory = files.status(directory, credentials).type === "directory";
    if (isDirectory && files.permits(directory, credentials, 1)) return;
    const reason = isDirectory ? "permission denied" : "not a directory";
    throw new StartError(`${directory}: ${reason}`, "no_such_directory");
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new StartError(`${directory}: ${reasonOf(error)}`, "no_such_directory", { cause: error });
  }
}

/** @returns undefined: nothing is there. @throws StartError */
function programAt(path: string, search: ProgramSearch): Program | undefined {
  const { files, credentials, isProgram } = search;
  const denied = new StartError(`${path}: permission denied`, "command_not_executable");
  try {
    const { type } = files.status(path, credentials);
    if (type === "directory" || !files.permits(path, credentials, 1)) throw denied;
    return scriptAt(path, search);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw denied;
    const name = programName(path);
    return name !== undefined && isProgram(name) ? { kind: "program", name } : undefined;
  }
}

/** A script that a shell is given to read, which need not be executable. @throws StartError */
export function readScript(name: string, search: ProgramSearch): Script {
  try {
    return scriptAt(joinPath(search.directory, name), search);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new StartError(`${name}: ${reasonOf(error)}`, "command_not_found", { cause: error });
  }
}

function scriptAt(path: string, { files, credentials }: ProgramSearch): Script {
  const bytes = files.readAll(path, credentials, MAX_SCRIPT_BYTES);
  if (bytes.subarray(0, 256).includes(0)) {
    throw new StartError(`${path}: cannot execute binary file`, "command_not_executable");
  }
  const text = new TextDecoder().decode(bytes);
  const interpreter = interpreterOf(text);
  if (interpreter === undefined || isShell(interpreter)) return { kind: "script", path, text };
  const reason = `${interpreter}: interpreter not available on this machine`;
  throw new StartError(`${path}: ${reason}`, "command_not_executable");
}

function interpreterOf(text: string): string | undefined {
  const [, interpreter, argument] = /^#!\s*(\S+)(?:[ \t]+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
  if (interpreter === undefined) return undefined;
  return baseNameOf(interpreter) === "env" ? argument : interpreter;
}

export function isShell(name: string): boolean {
  return ["bash", "sh", "dash"].includes(baseNameOf(name));
}

/** Options that a script's first line gives its shell, as in `#!/bin/bash -e`. */
export function interpreterOptions(text: string): string[] {
  const [line = ""] = text.split("\n", 1);
  return /^#!\s*\S*sh\s+(-\S+)/.exec(line)?.slice(1) ?? [];
}
