import { ProgramError } from "./program-error.ts";

const TOKEN =
  /"(?:[^"\\]|\\.)*"|#[^\n]*|\bfunc(?:tion)?\s+\w+|\bsplit\s*\(|\blength\s*\(\s*\w+\s*\)|\b[A-Za-z_]\w*[ \t]+(?=\()|[A-Za-z_]\w*|[\s\S]/y;

const REGEX = /\/(?:[^/\\\n[]|\\.|\[\^?(?:\]|(?!\]))(?:\\.|\[:\w{1,9}:\]|\[(?!:\w{1,9}:\])|[^\]\\[])*\])+\//y;

/** What a parenthesis may follow after a space. */
const TAKES_PARENTHESES =
  /^(?:if|else|while|for|do|switch|case|return|print|printf|in|getline|delete|exit|BEGIN|END|length|substr|index|sub|gsub|gensub|match|sprintf|sin|cos|atan2|exp|log|sqrt|int|rand|srand|tolower|toupper|system|close|fflush|systime|strftime)$/;

/** How far from its name the array of a split may stand. */
const MAX_SPLIT_LENGTH = 1000;

const TEXT = "_split_text";

const EDGES = "/^[ \\t\\n]+|[ \\t\\n]+$/";

/**
 * Rewrites what the bundled awk misinterprets: `split` of empty text, and at spaces, the `length`
 * of a line and of an array, and the name before a parenthesis, which is not a function if a space follows it.
 */
export function rewriteAwk(program: string, mayHaveSeparator: boolean): string {
  const rewriter = new AwkRewriter(program, mayHaveSeparator);
  const rewritten = rewriter.rest().join("");
  // A loop does not see an array that is an argument.
  const counts = Array.from(
    rewriter.measured,
    (name) => `\nfunction _count_${name}(key, count) {for (key in ${name}) count++; return count + 0}`,
  );
  return rewritten + counts.join("");
}

/** Names that are used as arrays. */
function findArrays(program: string): Set<string> {
  const used = program.matchAll(/\b(\w+)\s*\[|\bin\s+(\w+)/g);
  const names = Array.from(used, ([, indexed, searched]) => indexed ?? searched ?? "");
  for (const { index } of program.matchAll(/\bsplit\s*\(/g)) {
    const [call = ""] = program.slice(index, index + MAX_SPLIT_LENGTH).split(/[;\n]/, 1);
    names.push(...Array.from(call.matchAll(/,\s*(\w+)/g), ([, name = ""]) => name));
  }
  return new Set(names);
}

class AwkRewriter {
  readonly #program: string;
  readonly #mayHaveSeparator: boolean;
  readonly #arrays: ReadonlySet<string>;
  readonly measured = new Set<string>();
  #position = 0;
  #mayDivide = false;
  #hasRegex = true;

  constructor(program: string, mayHaveSeparator: boolean) {
    this.#program = program;
    this.#arrays = findArrays(program);
    this.#mayHaveSeparator = mayHaveSeparator || /\bFS\b/.test(program);
  }

  /** @param ends whether a parenthesis or a comma ends it. @returns its parts, the last of which ended it. */
  rest(ends = false): string[] {
    const parts: string[] = [];
    for (let depth = 0; this.#position < this.#program.length; ) {
      const token = this.#token();
      if (/^[([{]$/.test(token)) depth++;
      if (ends && depth === 0 && /^[),]$/.test(token)) return [...parts, token];
      if (/^[)\]}]$/.test(token)) depth--;
      parts.push(/^split\s*\($/.test(token) ? this.#split(token) : token);
    }
    return parts;
  }

  #token(): string {
    const isRegex = this.#hasRegex && !this.#mayDivide && this.#program[this.#position] === "/";
    const pattern = isRegex ? REGEX : TOKEN;
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#program)?.[0];
    // Nothing that follows would end either.
    if (isRegex && found === undefined) this.#hasRegex = false;
    if (found === '"') throw new ProgramError("a text does not end");
    const token = found ?? this.#program.charAt(this.#position);
    this.#position += token.length;
    if (/\S/.test(token)) this.#mayDivide = /[\w)\]"$]$/.test(token.trim());
    const [, measured = ""] = /^length\s*\(\s*(\w+)/.exec(token) ?? [];
    if (measured !== "" && this.#arrays.has(measured)) {
      this.measured.add(measured);
      return `_count_${measured}()`;
    }
    if (token === "length" && !/^\s*\(/.test(this.#program.slice(this.#position))) return "length($0)";
    const isValue = /^\w+[ \t]+$/.test(token) && !TAKES_PARENTHESES.test(token.trim());
    return isValue ? `${token}""` : token;
  }

  #split(call: string): string {
    const args: string[] = [];
    let end = ",";
    while (end === ",") {
      const parts = this.rest(true);
      end = parts.pop() ?? "";
      args.push(parts.join("").trim());
    }
    const [text = "", array, separator] = args;
    if (array === undefined || end !== ")") return `${call}${args.join(",")}${end}`;
    const taken = `length(${TEXT} = (${text}) "")`;
    const nothing = `split("", ${array}, "")`;
    const atSpaces = `(${taken} + gsub(${EDGES}, "", ${TEXT}) > 0 && length(${TEXT}) ? split(${TEXT}, ${array}, " ") : ${nothing})`;
    if (separator === '" "') return atSpaces;
    const given = separator === undefined ? "" : `, ${separator}`;
    const atSeparator = `(${taken} ? split(${TEXT}, ${array}${given}) : ${nothing})`;
    if (separator !== undefined) return atSeparator;
    return this.#mayHaveSeparator ? `(FS == " " ? ${atSpaces} : ${atSeparator})` : atSpaces;
  }
}
