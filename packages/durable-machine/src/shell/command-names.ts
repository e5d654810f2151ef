import { getCommandNames } from "just-bash/browser";
import { OWN_COMMANDS } from "./transforms/names.ts";

/** Of the interpreter's commands, those that fail in this runtime whatever they are given. */
const BROKEN: ReadonlySet<string> = new Set(["html-to-markdown"]);

/** Commands that stand for builtins, which no directory has a program of. */
const SHELL_ONLY: ReadonlySet<string> = new Set([
  ...Object.values(OWN_COMMANDS),
  ..."alias bg disown fg help history jobs times trap ulimit umask unalias wait".split(" "),
]);

const BUILTIN_PROGRAMS: readonly string[] = ["[", "false", "test", "true"];

const names = new Set(getCommandNames().filter((name) => !BROKEN.has(name)));

export function addProgramNames(added: Iterable<string>): void {
  for (const name of added) names.add(name);
}

export function isProgram(name: string): boolean {
  return names.has(name);
}

/** Whether a command of this name is a program, which other programs can run too. */
export function isProgramFile(name: string): boolean {
  return BUILTIN_PROGRAMS.includes(name) || (names.has(name) && !SHELL_ONLY.has(name));
}
