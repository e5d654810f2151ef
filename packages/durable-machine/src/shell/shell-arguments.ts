export interface ShellInvocation {
  /** Arguments for `set`, such as `-e`. */
  flags: string[];
  source: { from: "text"; text: string } | { from: "file"; path: string } | { from: "input" };
  /** `$0`; undefined: the shell's own. */
  name: string | undefined;
  /** `$1` and on. */
  args: string[];
}

export class ShellUsageError extends Error {
  override readonly name = "ShellUsageError";
}

const LONG_OPTIONS_IGNORED: ReadonlySet<string> = new Set(["--login", "--norc", "--noprofile", "--posix"]);
const FLAGS_OF_SET = "abefhkmnptuvxBCEHPT";
const FLAGS_IGNORED = "ilrs";

/** @throws ShellUsageError */
export function parseShellArguments(args: readonly string[]): ShellInvocation {
  const flags: string[] = [];
  let isText = false;
  let isInput = false;
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--" || arg === "-") {
      index++;
      break;
    }
    if (LONG_OPTIONS_IGNORED.has(arg)) continue;
    if (arg.startsWith("--")) throw new ShellUsageError(`${arg}: invalid option`);
    if (!/^[-+]./.test(arg)) break;
    const sign = arg[0];
    for (const letter of arg.slice(1)) {
      if (letter === "c") isText = true;
      else if (letter === "o" || letter === "O") flags.push(`${sign}${letter}`, args[++index] ?? "");
      else if (FLAGS_OF_SET.includes(letter)) flags.push(`${sign}${letter}`);
      else if (!FLAGS_IGNORED.includes(letter)) throw new ShellUsageError(`${sign}${letter}: invalid option`);
      if (letter === "s") isInput = true;
    }
  }
  const rest = args.slice(index);
  if (isText) {
    const [text, name, ...positional] = rest;
    if (text === undefined) throw new ShellUsageError("-c: option requires an argument");
    return { flags, source: { from: "text", text }, name, args: positional };
  }
  const [path, ...positional] = rest;
  if (path === undefined || isInput) return { flags, source: { from: "input" }, name: undefined, args: rest };
  return { flags, source: { from: "file", path }, name: path, args: positional };
}
