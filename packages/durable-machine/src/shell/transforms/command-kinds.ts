/** Builtins of the interpreter that are no programs. */
export const BUILTINS: ReadonlySet<string> = new Set([
  ".",
  ":",
  "[",
  "alias",
  "break",
  "builtin",
  "cd",
  "command",
  "compgen",
  "complete",
  "compopt",
  "continue",
  "declare",
  "dirs",
  "eval",
  "exec",
  "exit",
  "export",
  "false",
  "getopts",
  "hash",
  "let",
  "local",
  "mapfile",
  "popd",
  "pushd",
  "read",
  "readarray",
  "readonly",
  "return",
  "set",
  "shift",
  "shopt",
  "source",
  "test",
  "true",
  "type",
  "typeset",
  "unalias",
  "unset",
]);

/** What the interpreter has no builtin for, or an empty one; the machine's commands of the same name take its place. */
export const REPLACED_BUILTINS: ReadonlySet<string> = new Set([
  "bg",
  "disown",
  "fg",
  "jobs",
  "kill",
  "times",
  "trap",
  "ulimit",
  "umask",
  "wait",
]);

/** Change what runs next and write nothing. */
export const CONTROL_BUILTINS: ReadonlySet<string> = new Set(["break", "continue", "return"]);

/** Write nothing, whatever they are given. */
export const SILENT_BUILTINS: ReadonlySet<string> = new Set([":", "true", "false"]);

/** Run other commands in the shell at hand, functions among them, or commands of which only running tells. */
export const CALLING_BUILTINS: ReadonlySet<string> = new Set([".", "builtin", "command", "eval", "source"]);

/** Commands that know of {@link ByteOutput}: what they write leaves while they run. */
export const DIRECT_COMMANDS: ReadonlySet<string> = new Set([
  "base64",
  "bash",
  "cat",
  "dd",
  "env",
  "gunzip",
  "gzip",
  "head",
  "md5sum",
  "nice",
  "nohup",
  "seq",
  "setsid",
  "sh",
  "sha1sum",
  "sha256sum",
  "stdbuf",
  "tail",
  "tar",
  "tee",
  "timeout",
  "wc",
  "xargs",
  "xxd",
  "yes",
  "zcat",
]);

/** Commands that read their standard input themselves, as it comes, and only if they need it. */
export const LIVE_READERS: ReadonlySet<string> = new Set([
  "bash",
  "cat",
  "dd",
  "head",
  "md5sum",
  "sh",
  "sha1sum",
  "sha256sum",
  "sha512sum",
  "tail",
  "tar",
  "tee",
  "wc",
  "xargs",
  "xxd",
]);

/**
 * Commands that take their whole standard input at once, unless they are given files; and how many operands they
 * have that name none.
 */
export const WHOLE_READERS: ReadonlyMap<string, number> = new Map([
  ["awk", 1],
  ["base64", 0],
  ["column", 0],
  ["cut", 0],
  ["egrep", 1],
  ["expand", 0],
  ["fgrep", 1],
  ["fold", 0],
  ["grep", 1],
  ["gunzip", 0],
  ["gzip", 0],
  ["jq", 1],
  ["nl", 0],
  ["od", 0],
  ["paste", 0],
  ["rev", 0],
  ["sed", 1],
  ["sort", 0],
  ["split", 0],
  ["strings", 0],
  ["tac", 0],
  ["tr", Number.POSITIVE_INFINITY],
  ["unexpand", 0],
  ["uniq", 0],
  ["zcat", 0],
]);

/** Whether a command takes its standard input: it is none of those that are given files. */
export function readsWholeInput(name: string, args: readonly (string | undefined)[]): boolean {
  const notFiles = WHOLE_READERS.get(name);
  if (notFiles === undefined) return false;
  const operands = args.filter((arg) => arg === undefined || arg === "-" || !arg.startsWith("-"));
  return operands.length <= notFiles || operands.includes("-");
}
