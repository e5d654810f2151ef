import { ProgramError, requireDepth } from "./program-error.ts";

const TOKEN =
  /[ \t]+|\\\n|#[^\n]*|"(?:[^"\\]|\\[\s\S])*"|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\w+|\+\+|--|\*\*=?|[-+*/%^=!<>]=|&&|\|\||>>|!~|[\s\S]/y;

const REGEX = /\/(?:[^/\\\n[]|\\.|\[\^?(?:\]|(?!\]))(?:\\.|\[:\w{1,9}:\]|\[(?!:\w{1,9}:\])|[^\]\\[])*\])+\//y;

const KEYWORD =
  /^(?:if|else|while|for|do|switch|case|default|return|print|printf|in|getline|delete|exit|next|nextfile|break|continue|func|function|BEGIN|END)$/;

const BUILTIN_KINDS: Readonly<Record<string, string>> = {
  whole: "length index sub gsub match split int systime mktime close system fflush srand",
  text: "substr sprintf tolower toupper gensub strftime",
  fraction: "sin cos atan2 exp log sqrt rand",
};

const TAKES_TEXT = /^(?:length|substr|index|tolower|toupper)$/;

const WHOLE_VARIABLE = /^(?:NR|NF|FNR|RSTART|RLENGTH|ARGC)$/;

const CONVERSION = /%([-+ #0]{0,5})(\d{1,9}|\*|)(?:\.(\d{1,9}|\*|))?([a-zA-Z%])/g;

/** Each is looked for in the whole program. */
const MAX_FORMATS = 20;

const FORMAT_ASSIGNMENT = /\b([A-Za-z_]\w*)[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*")(?=[ \t]*[;}\n])/g;

const EMPTY_ASSIGNMENT = /\b([A-Za-z_]\w{0,99})[ \t]{0,9}(?:\[[^\]]{0,99}\][ \t]{0,9})?=[ \t]{0,9}""/g;

const FIRST_USE = /\b([A-Za-z_]\w{0,99})[ \t]{0,9}(=(?!=))?/g;

/** An element of an array may be repeated, but what was repeated in its index may not be repeated again. */
const MAX_REPEATED_LENGTH = 200;

/** The values of a format that is known only when the program runs. */
const FORMATTED = Array.from({ length: 9 }, (_, index) => `_${index + 1}`);

/**
 * Awk functions for rewritten programs. The bundled awk rounds down, pads some numbers with spaces only, and
 * writes exponents of one digit. Parameters begin with `_`: a call would change others of the same name.
 */
const FUNCTIONS: Readonly<Record<string, string>> = {
  _int: "function _int(_x) {return _x < 0 ? -int(-_x) : int(_x)}",
  // A number just nearer to zero where C rounds to even and the bundled awk would round up.
  _even: `function _even(_x, _d, _n) {_n = (_x < 0 ? -_x : _x) * 2 ^ (_d + 1)
if (_n % 2 != 1) return _x
_n = _x < 0 ? -_x : _x; _n = _d < 0 ? _n / 10 ^ (0 - _d) : _n * 10 ^ _d
return int(_n) % 2 ? _x : _x * 0.9999999999999998}`,
  _fixed: "function _fixed(_x, _digits) {return _even(_x + 0, _digits + 0)}",
  _float: `function _float(_x, _kind, _digits, _flags, _width, _s, _at, _power, _head) {
_x += 0; if (_kind ~ /[gG]/ && !_digits) _digits = 1
_head = "%." (_kind ~ /[gG]/ ? _digits - 1 : _digits + 0) (_kind ~ /[fF]/ ? "f" : "e"); _s = sprintf(_head, _x); _at = index(_s, "e")
_x = _even(_x, _at ? (_kind ~ /[gG]/ ? _digits - 1 : _digits + 0) - substr(_s, _at + 1) : _digits + 0); _s = sprintf(_head, _x); _at = index(_s, "e")
if (_kind ~ /[gG]/ && _at) {_power = substr(_s, _at + 1) + 0
if (_power >= -4 && _power < _digits) {_s = sprintf("%." (_digits - 1 - _power) "f", _x); _at = 0}
_head = _at ? substr(_s, 1, _at - 1) : _s
if (_head ~ /[.]/ && _flags !~ /#/) sub(/[.]?0+$/, "", _head)
_s = _head "" (_at ? substr(_s, _at) : ""); _at = index(_s, "e")}
if (_at && length(_s) - _at < 3) _s = substr(_s, 1, _at + 1) "0" substr(_s, _at + 2)
if (_s ~ /[IN]/) _s = substr(tolower(_s), 1, 3 + (_x < 0))
if (_x >= 0 && _flags ~ /[+ ]/) _s = substr(_flags ~ /[+]/ ? "+" : " ", 1, 1) _s
_at = _s ~ /^[-+ ]/
if (_flags ~ /0/ && _flags !~ /-/) while (length(_s) < _width) _s = substr(_s, 1, _at) "0" substr(_s, _at + 1)
return sprintf("%" "" (_flags ~ /-/ ? "-" : "") _width "s", _kind ~ /[EG]/ ? toupper(_s) : _s)}`,
  _format: `function _format(_f, _n, ${FORMATTED.join(", ")}, _all, _out, _v, _k, _i, _w, _d, _marks, _start, _length) {
_all = _f; _start = RSTART; _length = RLENGTH
while (match(_f, /%[-+ #0]*([0-9]+|[*])?([.]([0-9]+|[*])?)?[a-zA-Z%]/)) {
_out = _out "" substr(_f, 1, RSTART - 1); _v = substr(_f, RSTART + 1, RLENGTH - 2)
_k = substr(_f, RSTART + RLENGTH - 1, 1); _f = substr(_f, RSTART + RLENGTH)
if (_k == "%") _out = _out "%"
else {
_d = _v ~ /[.]/ ? _v : ""; sub(/^[^.]*/, "", _d); sub(/[.].*/, "", _v)
_w = _v; sub(/^[-+ #0]*/, "", _w); _marks = substr(_v, 1, length(_v) - length(_w))
if (_w == "*") _w = _given(_all, ++_i, _n, ${FORMATTED.join(", ")})
if (_d == ".*") _d = "." _given(_all, ++_i, _n, ${FORMATTED.join(", ")})
_v = _given(_all, ++_i, _n, ${FORMATTED.join(", ")})
if (_k ~ /[eEgG]/ || (_k ~ /[fF]/ && _marks ~ /[+ #0]/)) _out = _out "" _float(_v, _k, _d == "" ? 6 : substr(_d, 2) + 0, _marks, _w)
else _out = _out "" sprintf("%" _marks "" _w "" _d "" (_k == "u" ? "d" : _k), _k ~ /[dioxuX]/ ? _int(_v) : _k == "f" ? _fixed(_v, _d == "" ? 6 : substr(_d, 2)) : _k == "s" ? _text(_v) : _v)}}
RSTART = _start; RLENGTH = _length; return _out "" _f}`,
  _given: `function _given(_text_of, _at_value, _most, ${FORMATTED.map((name) => `${name}v`).join(", ")}) {
if (_at_value > _most) {print "awk: not enough arguments passed to printf(\\"" _text_of "\\")" > "/dev/stderr"; exit 2}
return ${FORMATTED.map((name, index) => `_at_value == ${index + 1} ? ${name}v : `).join("")}""}`,
  _text: textFunction("_text", `_float(_x, "g", 6)`),
  _converted: textFunction("_text", `_format(CONVFMT == "" ? "%.6g" : CONVFMT, 1, _x)`),
  _printed: textFunction("_printed", `_format(OFMT == "" ? "%.6g" : OFMT, 1, _x)`),
};

/** A number as text, in the format of CONVFMT, or of OFMT where it is printed. */
function textFunction(name: string, text: string): string {
  // Only "%c" distinguishes numbers from text, except for 53 and a fraction, where both give "5".
  return `function ${name}(_x) {return _x !~ /^[-0-9IN].*[.eN]|^-?I|^-?[0-9]{17}/ || sprintf("%c", _x) == substr(_x, 1, 1) && !(_x ~ /^53[.]/ && length(_x) > 8) ? _x : ${text}}`;
}

/** A fraction is a number that may not be whole. In arithmetic, a text is one. */
const Kind = { Whole: 0, Text: 1, Fraction: 2 } as const;
type Kind = number;

interface Item {
  text: string;
  kind: Kind;
  isOperator: boolean;
}

interface Argument {
  text: string;
  kind: Kind;
}

/**
 * Converts numbers as awk does where the bundled one does not: to text in concatenations, indices, fields and
 * `print`, and in formats. @throws ProgramError
 */
export function rewriteAwkNumbers(program: string): string {
  const rewriter = new NumberRewriter(program);
  // What a variable holds may become known only after its use.
  rewriter.pass();
  return rewriter.pass();
}

class NumberRewriter {
  #tokens: string[] = [];
  readonly #functions = new Set<string>();
  readonly #variables = new Map<string, Kind>();
  readonly #formats = new Map<string, string>();
  /** Variables that are assigned an empty text. */
  readonly #emptied = new Set<string>();
  readonly #used = new Set<string>();
  readonly #program: string;
  /** Whether it names CONVFMT or OFMT. */
  readonly #hasFormats: boolean;
  /** Whether the first thing that happens to a variable is an assignment. */
  readonly #isAssignedFirst = new Map<string, boolean>();
  #position = 0;
  #depth = 0;

  constructor(program: string) {
    this.#program = program;
    this.#hasFormats = /\b(?:CONV|O)FMT\b/.test(program);
    for (const [, name = "", assigns] of program.matchAll(FIRST_USE)) {
      if (!this.#isAssignedFirst.has(name)) this.#isAssignedFirst.set(name, assigns !== undefined);
    }
    for (const [, name = ""] of program.matchAll(EMPTY_ASSIGNMENT)) this.#emptied.add(name);
    for (const [, name = ""] of program.matchAll(/\bfunc(?:tion)?\s+(\w+)/g)) this.#functions.add(name);
    // A variable that holds one text, and is nothing but a format, stands for that text.
    const assignments = [...program.matchAll(FORMAT_ASSIGNMENT)].slice(0, MAX_FORMATS);
    for (const [, name = "", text = ""] of assignments) {
      const uses = program.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0;
      const asFormat = new RegExp(`\\bs?printf[ \\t]*\\(?[ \\t]*${name}[ \\t]*(?=[,;})\\n])`, "g");
      if (uses - 1 === program.match(asFormat)?.length) this.#formats.set(name, text);
    }
  }

  pass(): string {
    this.#tokens = tokensOf(this.#program);
    this.#position = 0;
    this.#used.clear();
    let text = "";
    // A bracket without its opening one ends a sequence.
    while (this.#position < this.#tokens.length) text += this.#sequence("").text + this.#next();
    const isConverted = /\bCONVFMT\b/.test(this.#program);
    if (this.#used.has("_printed") || (isConverted && this.#used.has("_text"))) this.#used.add("_format");
    if (this.#used.has("_format"))
      for (const name of ["_given", "_int", "_text", "_fixed"]) this.#used.add(name);
    if (this.#used.has("_text")) this.#used.add("_float");
    if (this.#used.has("_float") || this.#used.has("_fixed")) this.#used.add("_even");
    const definitionOf = (name: string) => FUNCTIONS[name === "_text" && isConverted ? "_converted" : name];
    return [text, ...[...this.#used].map(definitionOf)].join("\n");
  }

  #next(): string {
    return this.#tokens[this.#position++] ?? "";
  }

  /** Reads up to the closing bracket. @param given what gets its values: a function, a bracket or nothing. */
  #sequence(given: string): { text: string; kind: Kind; isList: boolean } {
    requireDepth(++this.#depth);
    let verb = given;
    let text = "";
    let run: Item[] = [];
    let arg: Argument = { text: "", kind: Kind.Whole };
    let args = [arg];
    let targets: { name: string; operator: string }[] = [];
    let isField = false;
    let isCompared = false;
    let closing = "";
    const endRun = () => {
      const isPrinted = verb === "print" && this.#hasFormats;
      const isText = !isCompared && (isField || verb === "print" || verb === "[" || TAKES_TEXT.test(verb));
      const ended = endOfRun(run, isText, isPrinted ? "_printed" : "_text");
      for (const name of ["_text", "_printed"]) if (ended.text.includes(`${name}(`)) this.#used.add(name);
      for (const { name, operator } of targets) this.#assign(name, operator, ended.kind);
      arg.text += ended.text;
      arg.kind = Math.max(arg.kind, ended.kind);
      run = [];
    };
    const endValue = () => {
      endRun();
      arg.text += closing;
      targets = [];
      isField = isCompared = false;
      closing = "";
    };
    const endCall = () => {
      endValue();
      text += /^s?printf$/.test(verb) ? this.#format(args) : args.map((each) => each.text).join(",");
    };
    while (this.#position < this.#tokens.length && !/^[)\]}]$/.test(this.#tokens[this.#position] ?? "")) {
      const token = this.#next();
      if (token === ",") {
        endValue();
        arg = { text: "", kind: Kind.Whole };
        args.push(arg);
      } else if (given === "" && this.#endsStatement(token, verb)) {
        endCall();
        // The bundled awk takes only the first value of a file's name.
        const names = verb !== "" && /^>>?$/.test(token);
        text += names ? `${token}(` : token;
        if (names) closing = ")";
        if (token === "{") text += this.#sequence("").text + this.#next();
        if (/^func/.test(token)) text += this.#header();
        if (/^(?:if|while|for|switch)$/.test(token)) text += this.#condition();
        verb = /^printf?$/.test(token) ? token : "";
        arg = { text: "", kind: Kind.Whole };
        args = [arg];
      } else if (token === ";") {
        endValue();
        arg.text += token;
      } else if (/^(?:[-+*/%^]|\*\*)?=$/.test(token)) {
        const target = run.map((item) => item.text).join("");
        const name = /^\s*([A-Za-z_]\w*)/.exec(target)?.[1];
        const operator = token.slice(0, -1);
        run = [];
        if (name !== undefined) targets.push({ name, operator });
        isField = target.trimStart().startsWith("$");
        arg.text += target;
        if (isField && operator !== "") {
          this.#used.add("_text");
          arg.text += `= _text(${target}${operator} (`;
          closing = `))${closing}`;
        } else arg.text += token;
      } else if (/^(?:[?:~<>|!\n]|>>|[=!<>]=|&&|\|\||!~|#.*)$/.test(token) || KEYWORD.test(token)) {
        const compares = /^(?:[<>~]|[=!<>]=|!~)$/.test(token);
        if (/^(?:[<>]|[=!<>]=)$/.test(token)) run = this.#compared(run);
        isCompared ||= compares;
        endRun();
        isCompared = compares;
        arg.text += token;
      } else if (/^(?:[-+*/%^]|\*\*|\+\+|--|\s+|\\\n)$/.test(token)) {
        run.push({ text: token, kind: Kind.Whole, isOperator: true });
      } else {
        const isFirst = given === "" && run.every((item) => item.text.trim() === "");
        run.push({ ...this.#value(token, isFirst ? verb : ""), isOperator: false });
      }
    }
    endCall();
    this.#depth--;
    return { text, kind: arg.kind, isList: args.length > 1 };
  }

  /**
   * The left side of a comparison. The bundled awk compares what looks like two numbers as numbers, and a
   * variable without a value as text.
   */
  #compared(run: Item[]): Item[] {
    const at = this.#position + (/^[ \t]/.test(this.#tokens[this.#position] ?? "") ? 1 : 0);
    const right = this.#tokens.slice(at, at + 4).join("");
    const text = run.map((item) => item.text).join("");
    const [, literal] = /^("\s*[-+]?(?:[\d.]|inf|nan)[^"\\]*")\s*(?:[)\]};?:{,&|\n]|$)/i.exec(right) ?? [];
    if (literal !== undefined) {
      this.#tokens[at] = `${literal.slice(0, -1)}\\001"`;
      return [
        { text: `((${endOfRun(run, true, "_text").text}) "\\001")`, kind: Kind.Text, isOperator: false },
      ];
    }
    const isNumber = /^-?[\d.][\w.]*\s*(?:[)\]};?:{,&|\n]|$)/.test(right);
    const isOne = run.filter((item) => item.text.trim() !== "").length === 1;
    if (!isNumber || !isOne || !this.#mayHaveNoValue(text.trim())) return run;
    return [{ text: `(${text.trim()} == "" ? 0 : ${text.trim()})`, kind: Kind.Whole, isOperator: false }];
  }

  /** Whether a value is a variable or an element that may have no value yet, instead of an empty text. */
  #mayHaveNoValue(value: string): boolean {
    const [, name = "", index] = /^([A-Za-z_]\w*)(\[)?/.exec(value) ?? [];
    const isVariable = name !== "" && (index !== undefined || name === value);
    if (!isVariable || WHOLE_VARIABLE.test(name) || this.#emptied.has(name)) return false;
    if (value.length > MAX_REPEATED_LENGTH || /[?]|\+\+|--/.test(value)) return false;
    return index !== undefined || this.#isAssignedFirst.get(name) !== true;
  }

  #endsStatement(token: string, verb: string): boolean {
    return /^(?:[;{\n|]|>>|#.*)$/.test(token) || KEYWORD.test(token) || (token === ">" && verb !== "");
  }

  /** The parameters of a function, which may be any numbers. */
  #header(): string {
    let text = "";
    do {
      const token = this.#next();
      text += token;
      if (/^\w+$/.test(token)) this.#variables.set(token, Kind.Fraction);
    } while (this.#position < this.#tokens.length && !text.endsWith(")"));
    return text;
  }

  #condition(): string {
    const space = /^\s/.test(this.#tokens[this.#position] ?? "") ? this.#next() : "";
    return this.#tokens[this.#position] === "(" ? space + this.#value(this.#next(), "").text : space;
  }

  #value(token: string, verb: string): Argument {
    if (token === "$") {
      let text = token;
      while (/^(?:\s+|[-+]|\+\+|--|\$)$/.test(this.#tokens[this.#position] ?? "")) text += this.#next();
      text += this.#value(this.#next(), "").text;
      // The bundled awk reads `$1 ^ 2` as another field.
      const isBase = /^\s*(?:\^|\*\*)/.test(this.#tokens.slice(this.#position, this.#position + 2).join(""));
      return { text: isBase ? `(${text})` : text, kind: Kind.Text };
    }
    if (token === "(") {
      const start = this.#position;
      let group = this.#sequence("(");
      if (verb !== "" && group.isList) {
        this.#position = start;
        group = this.#sequence(verb);
        // The bundled awk prints only the last of values in parentheses.
        const isWhole = /^[;}\n>|#]/.test(this.#tokens[this.#position + 1] ?? "\n");
        if (verb === "print" && isWhole && this.#next() === ")")
          return { text: ` ${group.text}`, kind: Kind.Whole };
      }
      return { text: `(${group.text}${this.#next()}`, kind: group.isList ? Kind.Whole : group.kind };
    }
    if (/^"/.test(token)) return { text: token, kind: Kind.Text };
    if (/^[\d.]/.test(token))
      return { text: token, kind: /^\d{1,15}$/.test(token) ? Kind.Whole : Kind.Fraction };
    return /^\w/.test(token) ? this.#named(token) : { text: token, kind: Kind.Whole };
  }

  #named(name: string): Argument {
    const builtin = Object.entries(BUILTIN_KINDS).find(([, names]) => names.split(" ").includes(name))?.[0];
    const space = /^[ \t]/.test(this.#tokens[this.#position] ?? "") ? 1 : 0;
    const opening = this.#tokens[this.#position + (builtin === undefined ? 0 : space)];
    if (opening === "(") {
      const isOwn = /^_(?:count_|split_)/.test(name) || this.#functions.has(name);
      if (builtin === undefined && !isOwn) throw new ProgramError(`function ${name} never defined`);
      this.#position += builtin === undefined ? 1 : space + 1;
      const called = this.#sequence(name);
      if (name === "int") this.#used.add("_int");
      const kind = builtin === "whole" ? Kind.Whole : builtin === "text" ? Kind.Text : Kind.Fraction;
      return { text: `${name === "int" ? "_int" : name}(${called.text}${this.#next()}`, kind };
    }
    const kind = this.#variables.get(name) ?? (WHOLE_VARIABLE.test(name) ? Kind.Whole : Kind.Text);
    if (opening !== "[") return { text: name, kind };
    this.#position++;
    return { text: `${name}[${this.#sequence("[").text}${this.#next()}`, kind };
  }

  #assign(name: string, operator: string, kind: Kind): void {
    const isFraction = /[*/^]/.test(operator) || (operator !== "" && kind !== Kind.Whole);
    const before = this.#variables.get(name) ?? Kind.Whole;
    this.#variables.set(name, Math.max(before, isFraction ? Kind.Fraction : kind));
  }

  #format(args: readonly Argument[]): string {
    const [given, ...rest] = args.map((arg) => arg.text);
    const first = this.#formats.get(given?.trim() ?? "") ?? given;
    const [, start = "", format = "", end = ""] =
      /^(\s*")((?:[^"\\]|\\[\s\S])*)("\s*)$/.exec(first ?? "") ?? [];
    // What is in parentheses is formatted before.
    if (rest.length === 0 && given?.trimStart().startsWith("(")) return given;
    if (start === "") {
      if (rest.length > FORMATTED.length)
        throw new ProgramError(`printf with a computed format takes up to ${FORMATTED.length} values`);
      this.#used.add("_format");
      return ` "%s", _format(${[given?.trim(), rest.length, ...rest].join(",")})`;
    }
    const values: string[] = [];
    const take = () => {
      const value = rest.shift();
      if (value === undefined) throw new ProgramError(`not enough arguments passed to printf("${format}")`);
      return value;
    };
    const rewritten = format.replace(
      CONVERSION,
      (all, flags: string, width: string, digits, kind: string) => {
        if (kind === "%") return all;
        const widthValue = width === "*" ? take() : `"${width}"`;
        const digitsValue = digits === "*" ? take() : (digits ?? "6");
        const place = args.length - rest.length;
        const value = take();
        if (/^[eEgG]$/.test(kind) || (/^[fF]$/.test(kind) && (/[+ #0]/.test(flags) || digits === "*"))) {
          this.#used.add("_float");
          values.push(`_float(${value}, "${kind}", ${digitsValue || "0"}, "${flags}", ${widthValue})`);
          return "%s";
        }
        if (width === "*") values.push(widthValue);
        if (digits === "*") values.push(digitsValue);
        const isFraction = args[place]?.kind === Kind.Fraction;
        if (flags.includes("#")) throw new ProgramError(`printf does not support "${all}"`);
        const converter = /^[dioxuX]$/.test(kind)
          ? "_int"
          : kind === "f"
            ? "_fixed"
            : kind === "s" && isFraction
              ? "_text"
              : "";
        if (Object.hasOwn(FUNCTIONS, converter)) this.#used.add(converter);
        const digitsOfFixed = converter === "_fixed" ? `, ${digitsValue || "0"}` : "";
        values.push(converter === "" ? value : `${converter}(${value}${digitsOfFixed})`);
        return kind === "u" ? `${all.slice(0, -1)}d` : all;
      },
    );
    return [`${start}${rewritten}${end}`, ...values, ...rest].join(",");
  }
}

function tokensOf(program: string): string[] {
  const tokens: string[] = [];
  let mayDivide = false;
  let hasRegex = true;
  for (let position = 0; position < program.length; ) {
    const isRegex: boolean = hasRegex && !mayDivide && program[position] === "/";
    const pattern: RegExp = isRegex ? REGEX : TOKEN;
    pattern.lastIndex = position;
    const found: string | undefined = pattern.exec(program)?.[0];
    // Nothing that follows would end either.
    if (isRegex && found === undefined) hasRegex = false;
    if (found === '"') throw new ProgramError("a text does not end");
    const token: string = found ?? program.charAt(position);
    tokens.push(token);
    position += token.length;
    if (/\S/.test(token)) mayDivide = /^(?:\w+|[)\]$]|".*|\+\+|--)$/s.test(token) && !KEYWORD.test(token);
  }
  return tokens;
}

/** Values that follow one another are joined. */
function endOfRun(run: readonly Item[], isText: boolean, converter: string): Argument {
  const pieces: Item[][] = [[]];
  let followsValue = false;
  for (const item of run) {
    if (!item.isOperator && followsValue) pieces.push([]);
    pieces.at(-1)?.push(item);
    if (!item.isOperator) followsValue = true;
    else if (isArithmetic(item)) followsValue = false;
  }
  const isJoined = pieces.length > 1;
  const kinds = pieces.map(kindOf);
  const texts = pieces.map((piece, index) => {
    const text = piece.map((item) => item.text).join("");
    if (kinds[index] !== Kind.Fraction || !(isJoined || isText)) return text;
    const value = text.trim();
    const [before = "", after = ""] = text.split(value);
    return `${before}${isJoined ? "_text" : converter}(${value})${after}`;
  });
  return { text: texts.join(""), kind: isJoined ? Kind.Text : (kinds[0] ?? Kind.Whole) };
}

function isArithmetic({ text }: Item): boolean {
  return /^(?:[-+*/%^]|\*\*)$/.test(text);
}

function kindOf(piece: readonly Item[]): Kind {
  const most = Math.max(Kind.Whole, ...piece.map((item) => item.kind));
  const operators = piece.filter((item) => item.isOperator && isArithmetic(item));
  if (operators.length === 0) return most;
  return most > Kind.Whole || operators.some(({ text }) => /[/^]|\*\*/.test(text))
    ? Kind.Fraction
    : Kind.Whole;
}
