import { ProgramError } from "./program-error.ts";

const TERM =
  /(\.\.|recurse\b(?!\s*\())|(?:\.\s*)?\[(\s*\])?|\.\s*([A-Za-z_]\w*|"(?:[^"\\]|\\[^(])*")|(\.)|(\()|(select|first|last|getpath)\s*\(|(values|nulls|strings|numbers|booleans|arrays|objects|iterables|scalars|empty)\b/y;

const CONSTANT = /^\s*(?:-?\d+|"(?:[^"\\]|\\[^(])*"|\$\w+)\s*$/;

/** Functions on pairs of a path and the value there. */
export const PATH_FUNCTIONS: Readonly<Record<string, string>> = {
  _at: `def _at($k): [.[0] + [.[1] as $v | $k | if type == "number" and . < 0 then . + ($v | length) else . end], (.[1] | .[$k])];`,
  _each: `def _each: .[0] as $p | .[1] | if type == "array" then range(length) as $i | [$p + [$i], .[$i]] elif type == "object" then keys_unsorted[] as $k | [$p + [$k], .[$k]] else error("Cannot iterate over " + type) end;`,
  _all: `def _all: ., (if (.[1] | type) == "array" or (.[1] | type) == "object" then _each | _all else empty end);`,
  _delete: `def _delete($paths): reduce ($paths | unique | sort | reverse | .[]) as $p (.; delpaths([$p]));`,
};

/**
 * Translates an expression that selects places, such as `.a[].b`, into one that maps a pair of a path and a
 * value to others: the bundled jq supports only the simplest ones. @throws ProgramError
 */
export function pathsOf(
  expression: string,
  rewrite: (text: string) => string,
  options: { maySlice: boolean },
): string {
  let position = 0;

  const skip = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const found = pattern.exec(expression);
    if (found) position += found[0].length;
    return found ?? undefined;
  };
  const refuse = (): never => {
    throw new ProgramError(`changing the places of ${expression.trim()} is not supported`);
  };
  const until = (opening: string, closing: string): string => {
    const start = position;
    for (let depth = 0; ; ) {
      const token = skip(/"(?:[^"\\]|\\[\s\S])*"|[\s\S]/y)?.[0] ?? refuse();
      if (depth === 0 && token === closing) return expression.slice(start, position - 1);
      if (token === opening) depth++;
      if (token === closing) depth--;
    }
  };
  const index = (): string => {
    const text = until("[", "]");
    if (/^[-\d\s]*:[-\d\s]*$/.test(text)) {
      if (!options.maySlice) refuse();
      return ` | .[0] as $_q | .[1] | ([range(length)] | .[${text}] | .[]) as $_k | [$_q + [$_k], .[$_k]]`;
    }
    return ` | _at(${CONSTANT.test(text) ? text : `$_given | ${rewrite(text)}`})`;
  };
  const term = (isFirst: boolean): string | undefined => {
    const start = position;
    skip(/\s*/y);
    const found = skip(TERM);
    if (!found) return undefined;
    const [, all, each, name, dot, group, call, filter] = found;
    const isStep = !all && !dot && !group && !call && !filter;
    if (!isFirst && !(isStep || (dot && /^\s*\[/.test(expression.slice(position))))) {
      position = start;
      return undefined;
    }
    if (all) return " | _all";
    if (name !== undefined) return ` | _at(${name.startsWith('"') ? name : `"${name}"`})`;
    if (group) return ` | (${pathsOf(until("(", ")"), rewrite, options)})`;
    if (filter) return filter === "empty" ? " | empty" : ` | select([.[1] | ${filter}] != [])`;
    if (call === "select") return ` | select(.[1] | ${rewrite(until("(", ")"))})`;
    if (call === "getpath") return ` | reduce (.[1] | ${rewrite(until("(", ")"))} | .[]) as $k (.; _at($k))`;
    if (call) return ` | ${call}(${pathsOf(until("(", ")"), rewrite, options)})`;
    if (dot) return "";
    return each === undefined ? index() : " | _each";
  };

  let paths = "";
  for (let joint = ""; ; ) {
    let steps = term(true) ?? refuse();
    for (;;) {
      if (skip(/\s*\?/y)) steps = ` | (.${steps})?`;
      const step = term(false);
      if (step === undefined) break;
      steps += step;
    }
    const given = steps.includes("$_given") ? ".[1] as $_given | ." : ".";
    paths += `${joint}(${given}${steps})`;
    joint = skip(/\s*[|,](?!=)/y)?.[0].trim() ?? "";
    if (joint === "") break;
  }
  return expression.slice(position).trim() === "" ? paths : refuse();
}
