import { PATH_FUNCTIONS, pathsOf } from "./jq-paths.ts";
import { ProgramError, requireDepth } from "./program-error.ts";

const NESTED = `type == "array" or type == "object"`;

const UNSORTABLE = "sorted, as it is not an array";

const HAS_TEXT = `tojson | contains("\\"")`;

const CODES = `if type == "array" then map(explode // .) else explode // . end`;

/**
 * In the order of code points. The bundled jq orders text as people do, and by the first of several keys
 * only; it takes the fewest steps where it sorts all at once.
 */
function sorted(keys: string): string {
  const ordered = `[.[] | [${keys}]] | if ${HAS_TEXT} then map(map(${CODES})) else . end`;
  const then = `[(${ordered}), [range(length)], .] | transpose | sort | map(.[2])`;
  return requireArray(then, UNSORTABLE);
}

/** The bundled jq sorts everything except text correctly, and in fewer steps. */
function sortedValues(): string {
  return requireArray(`if ${HAS_TEXT} then ${sorted(".")} else sort end`, UNSORTABLE);
}

function requireArray(then: string, purpose: string): string {
  return `(if type == "array" then ${then} else error(type + " cannot be ${purpose}") end)`;
}

function row(name: string, hasPlainText: string, plain: string, text: string, other: string): string {
  const cell = `if type == "string" then ${text} elif ${NESTED} then error(type + " is not valid in a ${name} row") else ${other} end`;
  const row = `if ${hasPlainText} then ${plain} else map(${cell}) end`;
  return requireArray(row, `${name}-formatted, only an array can be`);
}

const SEPARATED = `if . == null then "" else tojson end`;
const CSV = row(
  "csv",
  `tojson | test("\\\\\\\\|null|^.+[\\\\[{]") | not`,
  "[tojson | .[1:-1]]",
  `"\\"" + gsub("\\""; "\\"\\"") + "\\""`,
  SEPARATED,
);
const TSV = row(
  "tsv",
  `tojson | test("\\\\\\\\[^tn]|^.+[\\\\[{]") | not`,
  "[@tsv]",
  `split("\\\\") | join("\\\\\\\\") | split("\\t") | join("\\\\t") | split("\\n") | join("\\\\n") | split("\\r") | join("\\\\r")`,
  SEPARATED,
);
const SH = `if type == "string" then @sh elif ${NESTED} then error(type + " can not be escaped for shell") else tojson end`;

const FORMATS: Readonly<Record<string, string>> = {
  "@base64": "(tostring | @base64)",
  "@csv": `(${CSV} | join(","))`,
  "@html": "(tostring | @html)",
  "@json": "tojson",
  "@sh": `(if type == "array" then . else [.] end | map(${SH}) | join(" "))`,
  "@text": "tostring",
  "@tsv": `(${TSV} | join("\\t"))`,
  "@uri": "(tostring | @uri)",
};

const VALUES: Readonly<Record<string, string>> = {
  add: `(if type == "object" then [.[]] else . end | add)`,
  max: `(${sortedValues()} | .[-1])`,
  min: `(${sortedValues()} | .[0])`,
  sort: sortedValues(),
  unique: `(${sortedValues()} | unique)`,
};

const BY_KEYS: Readonly<Record<string, (keys: string) => string>> = {
  group_by: (keys) => `(${sorted(keys)} | group_by([${keys}]))`,
  max_by: (keys) => `(${sorted(keys)} | .[-1])`,
  min_by: (keys) => `(${sorted(keys)} | .[0])`,
  sort_by: sorted,
  unique_by: (keys) => `(${sorted(keys)} | group_by([${keys}]) | map(.[0]))`,
};

/** Conversions of strftime that the bundled jq leaves as they are, made of the parts of a time. */
const TIMES: Readonly<Record<string, string>> = {
  D: `strftime("%m/%d/") + (strftime("%Y") | .[-2:])`,
  F: `strftime("%Y-%m-%d")`,
  R: `strftime("%H:%M")`,
  T: `strftime("%H:%M:%S")`,
  a: `(strftime("%A") | .[:3])`,
  b: `(strftime("%B") | .[:3])`,
  e: `(" " + (.[2] | tostring) | .[-2:])`,
  j: `("00" + (.[7] + 1 | tostring) | .[-3:])`,
  s: `(mktime | tostring)`,
  u: `((.[6] + 6) % 7 + 1 | tostring)`,
  w: `(.[6] | tostring)`,
  y: `(strftime("%Y") | .[-2:])`,
};

const OPERATORS: Readonly<Record<string, string>> = {
  "+": "added",
  "-": "subtracted",
  "*": "multiplied",
  "/": "divided",
  "%": "divided (remainder)",
};

const MARK = "\u{f8ff}";

/** The bundled jq ignores most flags and errors of regular expressions, and finds only the first match. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ...PATH_FUNCTIONS,
  _expect: `def _expect($re; $flags): if type != "string" or ($re | type) != "string" then error("\\(if type != "string" then . else $re end | type) cannot be matched, as it is not a string") elif ($flags // "" | gsub("[gin]"; "")) != "" then error("the flags " + $flags + " are not supported") elif [match($re)] == [null] then error($re + " is not a valid regular expression") else . end;`,
  _flags: `def _flags($flags): if $flags // "" | contains("i") then "i" else "" end;`,
  _between: `def _between($re; $flags): _expect($re; $flags) | if contains("${MARK}") then error("text with a private character cannot be split") else gsub($re; "${MARK}$0${MARK}"; _flags($flags)) | split("${MARK}") end;`,
  _names: String.raw`def _names($re): [$re | scan("(\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|[(]\\?P?<\\w+>|[(]\\??)") | .[0] | if . == "(" then null elif startswith("(?P<") then .[4:-1] elif startswith("(?<") then .[3:-1] else empty end];`,
  _matches: `def _matches($re; $flags): _between($re; $flags) as $parts | [scan("(" + $re + ")"; _flags($flags))] as $found | _names($re) as $names
| (if $flags // "" | contains("g") then $found else $found[:1] end | length) as $count
| range($count) as $i | ($parts[:2 * $i + 1] | add | length) as $start | $found[$i][0] as $text
| {offset: $start, length: ($text | length), string: $text, captures: (reduce range(1; $found[$i] | length) as $k ([];
. + [$found[$i][$k] as $c | if $c == null then {offset: -1, string: null, length: 0, name: $names[$k - 1]}
else {offset: _place($text; $c; $start), length: ($c | length), string: $c, name: $names[$k - 1]} end]))};`,
  _match: `def _match($re; $flags): if ($re | type) == "array" then _matches($re[0]; $re[1]) else _matches($re; $flags) end;`,
  _named: "def _named: reduce (.captures[] | select(.name != null)) as $c ({}; . + {($c.name): $c.string});",
  _capture: "def _capture($re; $flags): _matches($re; $flags) | _named;",
  _scan: "def _scan($re; $flags): _expect($re; $flags) | scan($re; _flags($flags));",
  _test: `def _test($re; $flags): if ($re | type) == "array" then _test($re[0]; $re[1]) else _expect($re; $flags) | test($re; _flags($flags)) end;`,
  _split: "def _split($re; $flags): _between($re; $flags) | [.[range(0; length; 2)]];",
  _splits: "def _splits($re; $flags): _split($re; $flags) | .[];",
  // Except for these, the bundled jq makes null of values that an operator does not take.
  _cannot: `def _cannot($a; $b; $done): if $done == "added" and $a == null and $b == null or $done == "multiplied" and ($a | type) == "string" and ($b | type) == "number" then null else error("\\($a | _shown) and \\($b | _shown) cannot be " + $done) end;`,
  _shown: `def _shown: type + " (" + (tojson | if length > 14 then .[:11] + "..." else . end) + ")";`,
  _strftime: `def _strftime($format): (if type == "number" then gmtime elif type == "array" then mktime | gmtime else error("strftime/1 requires parsed datetime inputs") end) as $t | [$format | scan("%.|[^%]+|%") | . as $p | $t | ${Object.entries(
    TIMES,
  )
    .map(([letter, value]) => `if $p == "%${letter}" then ${value} else `)
    .join(
      "",
    )}if $p | test("^%[^YmdHMSABZ%]") then error("strftime does not support " + $p) else strftime($p) end${" end".repeat(Object.keys(TIMES).length)}] | join("");`,
  _tostream: `def _tostream: if (type == "array" or type == "object") and . != [] and . != {} then . as $v | (keys_unsorted? // [range(length)]) as $keys | ($keys[] as $k | $v[$k] | _tostream | if length == 2 then [[$k] + .[0], .[1]] elif .[0] != [] then [[$k] + .[0]] else empty end), [[$keys[-1]]] else [[], .] end;`,
};

/** Whether the places of captures matter, which are known only if the match contains their text once. */
function place(program: string): string {
  const isRequired = /offset/.test(program) || !/\.\s*(?:string|captures|length|name)/.test(program);
  const other = isRequired ? `error("the place of the capture " + $c + " is ambiguous")` : "null";
  return `def _place($text; $c; $start): ($text | if . == $c then [0] else indices($c) end) as $at | if ($at | length) == 1 then $start + $at[0] else ${other} end;`;
}

/** Functions that are replaced by others, with the last argument where it is missing. */
const REPLACED: Readonly<Record<string, { separators: number; last: string }>> = {
  capture: { separators: 1, last: "; null" },
  match: { separators: 1, last: "; null" },
  scan: { separators: 1, last: "; null" },
  splits: { separators: 1, last: "; null" },
  strftime: { separators: 0, last: "" },
  test: { separators: 1, last: "; null" },
};

/** Rewritten text may be rewritten again as part of the enclosing text. */
const MAX_TOKENS = 50_000;
const MAX_CALLS = 100;
const MAX_ARGUMENTS_LENGTH = 32 * 1024;

const TOKEN =
  /#[^\n]*|\{\s*[A-Za-z_]\w*(?=\s*[,}])|@\w+(?:\s*")?|[.$]\s*[A-Za-z_]\w*|(?:if|then|elif|else|end|as|and|or|reduce|foreach|try|catch|def)\b(?!:)|[A-Za-z_]\w*(?:\s*[:(](?!:))?|\/\/=?|[-+*/%|=!<>]=|[\s\S]/y;

const CONSTANTS = /"(?:[^"\\]|\\[\s\S])*"|\$\w+|\d+(?:\.\d+)?/g;

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const SIMPLE_VALUE = /^\s*(?:\.|(?:\.[A-Za-z_]\w*)+|\$\w+|\d+(?:\.\d+)?|"[^"\\]*"|length|null)\s*$/;

/** A number whose exponent has a sign. */
const EXPONENT = /(?:^|[^\w$.])[\d.]+[eE]$/;

/** What takes a value on both sides. */
const OPERATOR = /^(?:and|or|\/\/|[-+*/%<>]|[=!<>]=)$/;

const ENDS_VALUE = /^(?:[|,;:]|\/\/|then|elif|else|end|[)\]}])$/;

/** Rewrites functions, formats, changes and paths that the bundled jq misinterprets. @throws ProgramError */
export function rewriteJq(program: string): string {
  const defined = Array.from(program.matchAll(/\bdef\s+(\w+)/g), ([, name = ""]) => name);
  const shared: Shared = { used: new Set(), defined: new Set(defined), tokens: 0, calls: 0, depth: 0 };
  const text = new JqRewriter(program, shared).rest();
  const functions: Readonly<Record<string, string>> = { ...FUNCTIONS, _place: place(program) };
  const definitions = new Set<string>();
  const define = (name: string, path: readonly string[]) => {
    const definition = withValues(functions[name] ?? "");
    for (const [called] of definition.matchAll(/\b_[a-z]+\b/g)) {
      if (Object.hasOwn(functions, called) && !path.includes(called)) define(called, [...path, called]);
    }
    definitions.add(definition);
  };
  for (const name of shared.used) define(name, [name]);
  return [...definitions, text].join("\n");
}

/** The bundled jq has no parameters that are values. */
function withValues(definition: string): string {
  const [head = "", name, parameters = ""] = /^def (\w+)\(([^)]*)\):/.exec(definition) ?? [];
  if (!parameters.includes("$")) return definition;
  const values = Array.from(
    parameters.matchAll(/\$(\w+)/g),
    ([value, each]) => ` _given_${each} as ${value} |`,
  );
  return `def ${name}(${parameters.replaceAll("$", "_given_")}):${values.join("")}${definition.slice(head.length)}`;
}

interface Shared {
  used: Set<string>;
  defined: ReadonlySet<string>;
  tokens: number;
  calls: number;
  depth: number;
}

class JqRewriter {
  readonly #program: string;
  readonly #shared: Shared;
  #position = 0;

  constructor(program: string, shared: Shared) {
    this.#program = program;
    this.#shared = shared;
  }

  /** @param isValue whether it is the value of an assignment. */
  rest(end?: string, isValue = false): string {
    requireDepth(++this.#shared.depth);
    let done = "";
    let operand = "";
    let values: { text: string; operator: string }[] = [];
    let start = this.#position;
    const endOperand = () => {
      operand = this.#calculated([...values, { text: operand, operator: "" }]);
      values = [];
    };
    let conditions = 0;
    let followsOperator = false;
    while (this.#position < this.#program.length) {
      TOKEN.lastIndex = this.#position;
      const token = TOKEN.exec(this.#program)?.[0] ?? "";
      if (++this.#shared.tokens > MAX_TOKENS) throw new ProgramError("the program is nested too deeply");
      if (token === end || (isValue && conditions === 0 && ENDS_VALUE.test(token))) break;
      const before = this.#position;
      this.#position += token.length;
      // The bundled jq binds all that stands before, and jq only the value after the operator.
      if (token === "as" && (followsOperator || /^\s*-/.test(operand)))
        throw new ProgramError("a value before `as` that is calculated needs parentheses");
      if (OPERATOR.test(token)) followsOperator ||= /\S/.test(operand);
      else if (ENDS_VALUE.test(token) || /^(?:reduce|foreach)$/.test(token)) followsOperator = false;
      if (token === "if") conditions++;
      if (token === "end") conditions--;
      if (/^(?:[-+*/%|]|\/\/)?=$/.test(token)) {
        operand = this.#change(this.#program.slice(start, before), token);
        values = [];
        continue;
      }
      if (Object.hasOwn(OPERATORS, token) && /\S/.test(operand) && !EXPONENT.test(operand)) {
        values.push({ text: operand, operator: token });
        operand = "";
        continue;
      }
      // What begins here continues after its value, and is not the value of an operator by itself.
      if (/^(?:as|if|reduce|foreach|try|catch|def)$/.test(token)) {
        operand = values.map(({ text, operator }) => text + operator).join("") + operand;
        values = [];
      } else if (ENDS_VALUE.test(token) || /^(?:and|or|[<>]|[=!<>]=)$|:$/.test(token)) endOperand();
      operand += token.startsWith("#") ? "" : this.#rewritten(token);
      if (
        !ENDS_VALUE.test(token) &&
        !/^(?:as|and|or|if|reduce|foreach|try|catch|[<>]|[=!<>]=)$|:$/.test(token)
      )
        continue;
      done += operand;
      operand = "";
      start = this.#position;
    }
    endOperand();
    this.#shared.depth--;
    return done + operand;
  }

  /** Joins values by the operators after them, products first. */
  #calculated(values: readonly { text: string; operator: string }[]): string {
    const [only, ...others] = values;
    if (only !== undefined && others.length === 0) return only.text;
    const sum = values.slice(0, -1).findLastIndex(({ operator }) => /^[-+]$/.test(operator));
    const at = sum === -1 ? values.length - 2 : sum;
    const operator = values[at]?.operator ?? "";
    for (const name of ["_cannot", "_shown"]) this.#shared.used.add(name);
    let bindings = "";
    // One value that is cheap to get twice takes fewer steps than a variable.
    const bind = (text: string, name: string) => {
      if (SIMPLE_VALUE.test(text)) return text;
      bindings += `(${text}) as ${name} | `;
      return name;
    };
    const right = bind(this.#calculated(values.slice(at + 1)), "$_b");
    const left = bind(this.#calculated(values.slice(0, at + 1)), "$_a");
    return ` (${bindings}${left} ${operator} ${right} // _cannot(${left}; ${right}; "${OPERATORS[operator]}")) `;
  }

  #rewritten(token: string): string {
    const name = /^@?\w+/.exec(token)?.[0] ?? "";
    if (token.endsWith('"') && !token.startsWith("#")) return this.#string(FORMATS[name]);
    if (token.endsWith(":")) return token;
    const opening = token.startsWith("{") ? "{" : token.slice(-1);
    const closing = token.startsWith("#") ? undefined : CLOSING[opening];
    if (closing === undefined) {
      if (this.#shared.defined.has(name)) return token;
      if (token === "tostream") return this.#call("_tostream");
      return FORMATS[token] ?? (Object.hasOwn(VALUES, token) ? VALUES[token] : undefined) ?? token;
    }
    const isOwn = opening !== "(" || this.#shared.defined.has(name);
    if (!isOwn && name === "path") return `(${this.#paths(this.#skip())})`;
    if (!isOwn && name === "del")
      return this.#call("_delete", `[${this.#paths(this.#skip(), { maySlice: true })}]`);
    const content = this.rest(closing);
    const plain = token + content + this.#program.charAt(this.#position++);
    if (isOwn && opening === "(" && this.#changesInput(name) && /[\w.]/.test(content.replace(CONSTANTS, "")))
      throw new ProgramError(`the function ${name} can only be given constants and variables`);
    if (isOwn) return plain;
    if (Object.hasOwn(BY_KEYS, name)) return BY_KEYS[name]?.(content) ?? plain;
    if (name === "delpaths") return this.#call("_delete", content);
    if (name === "walk") return this.#update("[[], .] | _all | .[0]", content, "| reverse");
    const replaced = Object.hasOwn(REPLACED, name) ? REPLACED[name] : undefined;
    if (replaced === undefined && !/^(?:g?sub|split)$/.test(name)) return plain;
    if (content.length > MAX_ARGUMENTS_LENGTH) throw new ProgramError("the program is nested too deeply");
    const args = splitArguments(content);
    const separators = args.length - 1;
    if (/^g?sub$/.test(name)) return this.#substitute(name === "gsub", args);
    if (name === "split" && separators === 1) return this.#call("_split", content);
    if (replaced === undefined) return plain;
    return this.#call(`_${name}`, content + (separators < replaced.separators ? replaced.last : ""));
  }

  /** Whether a function uses its parameters after a change of the input, which they would not see. */
  #changesInput(name: string): boolean {
    const start = this.#program.indexOf(`def ${name}(`);
    if (start === -1) return false;
    if (++this.#shared.calls > MAX_CALLS)
      throw new ProgramError("the program has too many calls of functions");
    const [parameters = "", ...rest] = this.#program.slice(start + name.length + 5).split(")");
    const [body = ""] = splitArguments(rest.join(")"));
    const used: readonly string[] = body.slice(body.search(/[|(]|$/)).match(/\w+/g) ?? [];
    return (parameters.match(/\w+/g) ?? []).some((parameter) => used.includes(parameter));
  }

  /** The text up to the closing parenthesis, which is consumed. */
  #skip(): string {
    const start = this.#position;
    const part = /"(?:[^"\\]|\\[\s\S])*"|[\s\S]/y;
    part.lastIndex = start;
    for (let depth = 0; depth >= 0 && part.lastIndex < this.#program.length; ) {
      const [token] = part.exec(this.#program) ?? [""];
      depth += token === "(" ? 1 : token === ")" ? -1 : 0;
    }
    this.#position = part.lastIndex;
    return this.#program.slice(start, this.#position - 1);
  }

  #call(name: string, args?: string): string {
    this.#shared.used.add(name);
    return args === undefined ? name : `${name}(${args})`;
  }

  #paths(expression: string, options = { maySlice: false }): string {
    const rewrite = (text: string) => new JqRewriter(text, this.#shared).rest();
    const paths = pathsOf(expression, rewrite, options);
    for (const [name] of paths.matchAll(/\b_(?:at|each|all|slice)\b/g)) this.#shared.used.add(name);
    return `[[], .] | ${paths} | .[0]`;
  }

  /** The functions of the bundled jq get values, not what makes them. */
  #update(paths: string, value: string, order = ""): string {
    for (const [name] of paths.matchAll(/\b_[a-z]+\b/g)) this.#shared.used.add(name);
    const one = `[getpath($_p) | ${value}] as $_n | if $_n == [] then error("a change needs a value") else setpath($_p; $_n[0]) end`;
    return `(reduce ([${paths}] ${order} | .[]) as $_p (.; ${one}))`;
  }

  #substitute(isGlobal: boolean, [pattern = "", text = "", flags = "null"]: readonly string[]): string {
    for (const name of ["_between", "_matches", "_named"]) this.#shared.used.add(name);
    const each = `. + $_parts[2 * $_i] + ($_found[$_i] | _named | ${text})`;
    const given = isGlobal ? `(${flags} | . + "g")` : `(${flags})`;
    return `((${pattern}) as $_re | ${given} as $_flags | _between($_re; $_flags) as $_parts | [_matches($_re; $_flags)] as $_found
| (reduce range($_found | length) as $_i (""; ${each})) + ($_parts[2 * ($_found | length):] | add))`;
  }

  /** `places = value`, `places |= value` or `places += value`. */
  #change(places: string, operator: string): string {
    const value = this.rest(undefined, true).trim();
    // It occurs twice.
    if (value.length > MAX_ARGUMENTS_LENGTH) throw new ProgramError("the program is nested too deeply");
    const binary = operator.slice(0, -1);
    const calculated = (left: string, right: string) =>
      Object.hasOwn(OPERATORS, binary)
        ? this.#calculated([
            { text: left, operator: binary },
            { text: right, operator: "" },
          ])
        : `${left} ${binary} (${right})`;
    const made = operator === "=" ? "$_new" : operator === "|=" ? value : calculated(".", "$_new");
    const update = this.#update(this.#paths(places), made);
    const all = operator === "|=" ? update : `((${value}) as $_new | ${update})`;
    const [field] = /^\s*\.[A-Za-z_]\w*\s*$/.exec(places) ?? [];
    if (field === undefined) return ` ${all} `;
    const short = operator === "=" || operator === "|=" ? value : calculated(field, value);
    const one = `[${field} | (${value})] | if . == [] then error("a change needs a value") else .[0] end`;
    return ` (if type == "object" then ${field} = (${operator === "|=" ? one : short}) else ${all} end) `;
  }

  /** The rest of a text whose opening quote was read. */
  #string(format: string | undefined): string {
    let text = '"';
    while (this.#position < this.#program.length) {
      const character = this.#program.charAt(this.#position++);
      if (character !== "\\") {
        text += character;
        if (character === '"') break;
        continue;
      }
      const escaped = this.#program.charAt(this.#position++);
      const code = escaped === "u" ? this.#program.slice(this.#position, this.#position + 4) : "";
      if (/^[\da-fA-F]{4}$/.test(code)) {
        this.#position += 4;
        text += String.fromCharCode(Number.parseInt(code, 16)).replace(/["\\]/, "\\$&");
        continue;
      }
      text += character + escaped;
      // The bundled jq would treat it as a value in the text.
      if (escaped === "\\" && this.#program[this.#position] === "(") {
        this.#position++;
        text += '\\("(")';
      }
      if (escaped !== "(") continue;
      const value = this.rest(")");
      text += format === undefined ? value : `(${value}) | ${format}`;
    }
    return text;
  }
}

function splitArguments(text: string): string[] {
  const args = [""];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"|[\s\S]/g)) {
    if (/^[([{]$/.test(token)) depth++;
    if (/^[)\]}]$/.test(token)) depth--;
    if (token === ";" && depth === 0) args.push("");
    else args.push((args.pop() ?? "") + token);
  }
  return args;
}
