import { getCommandNames } from "just-bash/browser";
import { OWN_COMMANDS } from "./transforms/names.ts";

/** Commands that stand for builtins and are no programs. */
const SHELL_ONLY: ReadonlySet<string> = new Set([
  ...Object.values(OWN_COMMANDS),
  ..."alias bg disown fg help history jobs times trap ulimit umask unalias wait".split(" "),
]);

const BUILTIN_PROGRAMS: readonly string[] = ["[", "false", "test", "true"];

// The one left out does not work in this runtime.
const names = new Set(getCommandNames().filter((name) => name !== "html-to-markdown"));

export function addProgramNames(added: Iterable<string>): void {
  for (const name of added) names.add(name);
}

export function isProgram(name: string): boolean {
  return names.has(name);
}

/** Whether other programs can run this command. */
export function isProgramFile(name: string): boolean {
  return BUILTIN_PROGRAMS.includes(name) || (names.has(name) && !SHELL_ONLY.has(name));
}
