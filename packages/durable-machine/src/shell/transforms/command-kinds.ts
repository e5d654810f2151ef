function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Builtins of the interpreter that are no programs. */
export const BUILTINS = names(`
  . : [ alias break builtin cd command compgen complete compopt continue declare dirs eval exec exit export false
  getopts hash let local mapfile popd pushd read readarray readonly return set shift shopt source test true type
  typeset unalias unset
`);

/** What the interpreter has no builtin for, or an empty one; the machine's commands of the same name replace it. */
export const REPLACED_BUILTINS = names("bg disown fg jobs kill times trap ulimit umask wait");

export const CONTROL_BUILTINS = names("break continue return");

/** Write nothing, whatever they are given. */
export const SILENT_BUILTINS = names(": true false");

/** Run other commands in the shell at hand, functions among them, or commands of which only running tells. */
export const CALLING_BUILTINS = names(". builtin command eval exec exit source");

/** Commands that read their standard input themselves, as it comes, and only if they need it. */
export const LIVE_READERS = names(`
  bash cat dd head md5sum sh sha1sum sha256sum sha512sum tail tar tee wc xargs xxd
`);

/** Commands that take their whole standard input at once, unless they are given files. */
const WHOLE_READERS = names(`
  base64 column cut expand fold gunzip gzip nl od paste rev sort split strings tac unexpand uniq zcat
`);

/** Those of which the first operand is no file. */
const SCRIPTED_READERS = names("awk egrep fgrep grep jq sed");

/** Whether a command takes its standard input: it is none of those that are given files. */
export function readsWholeInput(name: string, args: readonly (string | undefined)[]): boolean {
  if (name === "tr") return true;
  const isScripted = SCRIPTED_READERS.has(name);
  if (!isScripted && !WHOLE_READERS.has(name)) return false;
  const operands = args.filter((arg) => arg === undefined || arg === "-" || !arg.startsWith("-"));
  return operands.length <= (isScripted ? 1 : 0) || operands.includes("-");
}
