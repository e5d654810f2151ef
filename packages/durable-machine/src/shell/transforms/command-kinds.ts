import { getCommandNames } from "just-bash/browser";
import { OWN_COMMANDS } from "./names.ts";

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Builtins of just-bash that are not programs. */
export const BUILTINS = names(`
  . : [ alias break builtin cd command compgen complete compopt continue declare dirs eval exec exit export false
  getopts hash let local mapfile popd pushd read readarray readonly return set shift shopt source test true type
  typeset unalias unset
`);

/** just-bash has no such builtin, or one without effect: a command of the machine replaces it. */
export const REPLACED_BUILTINS = names("bg disown fg jobs kill times trap ulimit umask wait");

export const CONTROL_BUILTINS = names("break continue return");

export const SILENT_BUILTINS = names(": true false");

/** They may run functions. */
export const CALLING_BUILTINS = names(". builtin command eval exec exit source");

export const LIVE_READERS = names(`
  base64 bash cat dd head md5sum sh sha1sum sha256sum sha512sum tail tar tee wc xargs xxd
`);

/** Commands that need their whole standard input before they start, unless they are given files. */
const WHOLE_READERS = names(`
  column cut expand fold gunzip gzip nl od paste rev sort split strings tac unexpand uniq zcat
`);

const SCRIPTED_READERS = names("awk egrep fgrep grep jq sed");

export function readsWholeInput(name: string, args: readonly (string | undefined)[]): boolean {
  if (name === "tr") return true;
  const isScripted = SCRIPTED_READERS.has(name);
  if (!isScripted && !WHOLE_READERS.has(name)) return false;
  const operands = args.filter((arg) => arg === undefined || arg === "-" || !arg.startsWith("-"));
  return operands.length <= (isScripted ? 1 : 0) || operands.includes("-");
}

/** Commands that replace builtins and are not programs. */
const SHELL_ONLY: ReadonlySet<string> = new Set([
  ...Object.values(OWN_COMMANDS),
  ..."alias bg disown fg help history jobs times trap ulimit umask unalias wait".split(" "),
]);

const BUILTIN_PROGRAMS = names("[ false test true");

// The one left out does not work in this runtime.
const programs = new Set(getCommandNames().filter((name) => name !== "html-to-markdown"));

export function addProgramNames(added: Iterable<string>): void {
  for (const name of added) programs.add(name);
}

export function isProgram(name: string): boolean {
  return programs.has(name);
}

export function isProgramFile(name: string): boolean {
  return BUILTIN_PROGRAMS.has(name) || (programs.has(name) && !SHELL_ONLY.has(name));
}
