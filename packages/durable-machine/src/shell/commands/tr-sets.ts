import { argumentBytes } from "./byte-lines.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const ESCAPES: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };

const CLASSES: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is made of them
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/** A piece of a set. */
export interface SetPart {
  bytes: readonly number[];
  /** The class that it is. */
  className?: string;
  /** Its byte stands as often as it takes to make the set as long as the other one. */
  fills?: boolean;
}

function refuse(message: string): never {
  throw new UsageError(message, { hint: false });
}

interface SetByte {
  byte: number;
  /** Behind a backslash nothing has a meaning of its own. */
  isEscaped: boolean;
}

function readEscapes(text: string): SetByte[] {
  const bytes: SetByte[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character !== "\\" || next === "") {
      bytes.push({ byte: character.charCodeAt(0), isEscaped: false });
      continue;
    }
    const [octal = ""] = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(text.slice(index + 1, index + 4)) ?? [];
    const byte = octal === "" ? (ESCAPES[next] ?? next.charCodeAt(0)) : Number.parseInt(octal, 8);
    bytes.push({ byte, isEscaped: true });
    index += Math.max(1, octal.length);
  }
  return bytes;
}

function shown({ byte, isEscaped }: SetByte): string {
  return isEscaped && (byte < 0x20 || byte > 0x7e)
    ? `\\${byte.toString(8).padStart(3, "0")}`
    : String.fromCharCode(byte);
}

/** Reads the parts of a set from left to right. */
class SetReader {
  readonly #bytes: readonly SetByte[];
  #index = 0;

  constructor(text: string) {
    this.#bytes = readEscapes(argumentBytes(text));
  }

  *parts(): Generator<SetPart> {
    while (this.#index < this.#bytes.length) yield this.#bracketed() ?? this.#range() ?? this.#single();
  }

  #is(index: number, character: string): boolean {
    const found = this.#bytes[index];
    return found !== undefined && !found.isEscaped && found.byte === character.charCodeAt(0);
  }

  #take(length: number): SetByte[] {
    const taken = this.#bytes.slice(this.#index, this.#index + length);
    this.#index += length;
    return taken;
  }

  #bracketed(): SetPart | undefined {
    if (!this.#is(this.#index, "[")) return undefined;
    for (const mark of [":", "="]) {
      if (!this.#is(this.#index + 1, mark)) continue;
      // The closing mark of `[=]=]` is not the first one.
      let close = this.#index + 3;
      while (close < this.#bytes.length && !(this.#is(close, mark) && this.#is(close + 1, "]"))) close++;
      if (close >= this.#bytes.length) continue;
      const inner = this.#bytes.slice(this.#index + 2, close);
      const name = String.fromCharCode(...inner.map(({ byte }) => byte));
      this.#index = close + 2;
      return mark === ":" ? this.#ofClass(name) : this.#equivalence(name);
    }
    return this.#repetition();
  }

  #ofClass(name: string): SetPart {
    const pattern = CLASSES[name] ?? refuse(`invalid character class ${quoteWord(name)}`);
    return { bytes: BYTES.filter((byte) => pattern.test(String.fromCharCode(byte))), className: name };
  }

  #equivalence(name: string): SetPart {
    if (name.length !== 1) refuse(`${name}: equivalence class operand must be a single character`);
    return { bytes: [name.charCodeAt(0)] };
  }

  #repetition(): SetPart | undefined {
    const repeated = this.#bytes[this.#index + 1];
    if (repeated === undefined || !this.#is(this.#index + 2, "*")) return undefined;
    let close = this.#index + 3;
    while (close < this.#bytes.length && !this.#is(close, "]")) close++;
    if (close === this.#bytes.length) return undefined;
    const digits = String.fromCharCode(...this.#bytes.slice(this.#index + 3, close).map(({ byte }) => byte));
    if (!/^\d*$/.test(digits)) refuse(`invalid repeat count ${quoteWord(digits)} in [c*n] construct`);
    const count = digits.startsWith("0") ? Number.parseInt(digits, 8) : Number(digits);
    this.#index = close + 1;
    // More than there are bytes makes no difference.
    const length = Math.min(count, BYTES.length);
    return count === 0
      ? { bytes: [repeated.byte], fills: true }
      : { bytes: new Array<number>(length).fill(repeated.byte) };
  }

  #range(): SetPart | undefined {
    const first = this.#bytes[this.#index];
    const last = this.#bytes[this.#index + 2];
    if (first === undefined || last === undefined || !this.#is(this.#index + 1, "-")) return undefined;
    if (first.byte > last.byte) {
      refuse(`range-endpoints of '${shown(first)}-${shown(last)}' are in reverse collating sequence order`);
    }
    this.#index += 3;
    return { bytes: BYTES.slice(first.byte, last.byte + 1) };
  }

  #single(): SetPart {
    return { bytes: this.#take(1).map(({ byte }) => byte) };
  }
}

/**
 * Reads a set of bytes: ranges, classes, `[=c=]`, `[c*n]`, escapes.
 *
 * @throws UsageError
 */
export function parseSet(text: string): SetPart[] {
  return [...new SetReader(text).parts()];
}

/** The bytes of the first set, or all others in their order. */
export function firstSet(parts: readonly SetPart[], isComplement: boolean): number[] {
  if (parts.some(({ fills }) => fills)) refuse("the [c*] repeat construct may not appear in string1");
  const bytes = parts.flatMap((part) => part.bytes);
  if (!isComplement) return bytes;
  const excluded = new Set(bytes);
  return BYTES.filter((byte) => !excluded.has(byte));
}

/** The bytes of the second set, filled up where it says so to `length`. */
export function secondSet(parts: readonly SetPart[], length: number): number[] {
  const fillers = parts.filter(({ fills }) => fills);
  if (fillers.length > 1) refuse("only one [c*] repeat construct may appear in string2");
  const known = parts.reduce((sum, part) => sum + (part.fills ? 0 : part.bytes.length), 0);
  const missing = Math.max(0, length - known);
  return parts.flatMap((part) =>
    part.fills ? new Array<number>(missing).fill(part.bytes[0] ?? 0) : part.bytes,
  );
}

/** What each byte becomes. */
export function translationTable(
  first: { parts: readonly SetPart[]; bytes: readonly number[]; isComplement: boolean },
  second: { parts: readonly SetPart[]; bytes: readonly number[] },
): Uint8Array {
  const isCase = ({ className }: SetPart) => className === "upper" || className === "lower";
  if (second.parts.some((part) => part.className !== undefined && !isCase(part))) {
    refuse(
      "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  }
  if (second.parts.some(isCase) && !alignsCases(first.parts, second.parts)) {
    refuse("misaligned [:upper:] and/or [:lower:] construct");
  }
  if (second.bytes.length === 0 && first.bytes.length > 0) {
    refuse("when not truncating set1, string2 must be non-empty");
  }
  const last = second.bytes.at(-1) ?? 0;
  if (
    first.isComplement &&
    first.parts.some(({ className }) => className !== undefined) &&
    !(second.bytes.length <= first.bytes.length && second.bytes.every((byte) => byte === last))
  ) {
    refuse(
      "when translating with complemented character classes,\nstring2 must map all characters in the domain to one",
    );
  }
  const table = Uint8Array.from(BYTES);
  first.bytes.forEach((byte, index) => {
    table[byte] = second.bytes[index] ?? last;
  });
  return table;
}

/** Whether each case class of the second set stands opposite one of the first. */
function alignsCases(first: readonly SetPart[], second: readonly SetPart[]): boolean {
  const starts = new Set<number>();
  let position = 0;
  for (const { bytes, className } of first) {
    if (className === "upper" || className === "lower") starts.add(position);
    position += bytes.length;
  }
  position = 0;
  for (const { bytes, className } of second) {
    if (className !== undefined && !starts.has(position)) return false;
    position += bytes.length;
  }
  return true;
}
