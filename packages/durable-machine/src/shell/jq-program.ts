const NESTED = `type == "array" or type == "object"`;

const UNSORTABLE = "sorted, as it is not an array";

const HAS_TEXT = `tojson | contains("\\"")`;

const CODES = `if type == "array" then map(explode // .) else explode // . end`;

/**
 * In the order of code points. The bundled jq orders text as people do, and by the first of several keys only; it takes
 * the fewest steps where it sorts all at once.
 */
function sorted(keys: string): string {
  const ordered = `[.[] | [${keys}]] | if ${HAS_TEXT} then map(map(${CODES})) else . end`;
  const then = `[(${ordered}), [range(length)], .] | transpose | sort | map(.[2])`;
  return requireArray(then, UNSORTABLE);
}

/** The bundled jq sorts all but text rightly, and in fewer steps. */
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

const TOKEN =
  /#[^\n]*|\{\s*[A-Za-z_]\w*(?=\s*[,}])|@\w+(?:\s*")?|[.$]\s*[A-Za-z_]\w*|[A-Za-z_]\w*(?:\s*[:(](?!:))?|[\s\S]/y;

/** Rewrites functions and formats of which the bundled jq makes something else. */
export function rewriteJq(program: string): string {
  return new JqRewriter(program).rest();
}

class JqRewriter {
  readonly #program: string;
  readonly #defined: ReadonlySet<string>;
  #position = 0;

  constructor(program: string) {
    this.#program = program;
    this.#defined = new Set(Array.from(program.matchAll(/\bdef\s+(\w+)/g), ([, name = ""]) => name));
  }

  /** @param end the closing parenthesis before which it ends, if there is one. */
  rest(end?: ")"): string {
    let text = "";
    for (let depth = 0; this.#position < this.#program.length; ) {
      TOKEN.lastIndex = this.#position;
      const token = TOKEN.exec(this.#program)?.[0] ?? "";
      if (token === end && depth === 0) return text;
      this.#position += token.length;
      if (token.endsWith("(")) depth++;
      else if (token === ")") depth--;
      const name = /^@?\w+/.exec(token)?.[0] ?? "";
      if (token.endsWith('"') && !token.startsWith("#")) text += this.#string(FORMATS[name]);
      else if (this.#isDefined(name) || token.endsWith(":")) text += token;
      else if (token.endsWith("(") && Object.hasOwn(BY_KEYS, name)) {
        depth--;
        const keys = this.rest(")");
        this.#position++;
        text += BY_KEYS[name]?.(keys) ?? token;
      } else text += FORMATS[token] ?? (Object.hasOwn(VALUES, token) ? VALUES[token] : token);
    }
    return text;
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
      text += character + escaped;
      if (escaped !== "(") continue;
      const value = this.rest(")");
      text += format === undefined ? value : `(${value}) | ${format}`;
    }
    return text;
  }

  #isDefined(name: string): boolean {
    return this.#defined.has(name);
  }
}
