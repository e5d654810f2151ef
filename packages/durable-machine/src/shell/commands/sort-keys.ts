import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** How a key is compared: by the letters of the options that say so. */
export const ORDER_LETTERS = "bdfghiMnRrV";

export interface SortKey {
  /** Fields and bytes to pass over. */
  startField: number;
  startByte: number;
  /** The field in which it ends, from 0, and the bytes of it that belong to it, 0: all; undefined: the line's end. */
  endField: number | undefined;
  endByte: number;
  skipsStartBlanks: boolean;
  skipsEndBlanks: boolean;
  /** Letters of how it is compared, without `b`. */
  order: ReadonlySet<string>;
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

function skipBlanks(line: string, start: number): number {
  let index = start;
  while (index < line.length && isBlank(line, index)) index++;
  return index;
}

function skipField(line: string, start: number): number {
  let index = skipBlanks(line, start);
  while (index < line.length && !isBlank(line, index)) index++;
  return index;
}

function startOf(line: string, key: SortKey, separator: string | undefined): number {
  let index = 0;
  for (let field = 0; field < key.startField && index < line.length; field++) {
    if (separator === undefined) index = skipField(line, index);
    else {
      const next = line.indexOf(separator, index);
      index = next === -1 ? line.length : next + 1;
    }
  }
  if (key.skipsStartBlanks) index = skipBlanks(line, index);
  return Math.min(line.length, index + key.startByte);
}

function endOf(line: string, key: SortKey, separator: string | undefined): number {
  if (key.endField === undefined) return line.length;
  // The bytes of a field are counted from its beginning, a whole field ends where it ends.
  let fields = key.endByte === 0 ? key.endField + 1 : key.endField;
  let index = 0;
  for (; fields > 0 && index < line.length; fields--) {
    if (separator === undefined) index = skipField(line, index);
    else {
      const next = line.indexOf(separator, index);
      if (next === -1) index = line.length;
      else index = fields > 1 || key.endByte > 0 ? next + 1 : next;
    }
  }
  if (key.endByte === 0) return index;
  if (key.skipsEndBlanks) index = skipBlanks(line, index);
  return Math.min(line.length, index + key.endByte);
}

/** The part of a line that a key names. */
export function keyText(line: string, key: SortKey, separator: string | undefined): string {
  const start = startOf(line, key, separator);
  return line.slice(start, Math.max(start, endOf(line, key, separator)));
}

/** Reads a key definition from left to right. */
class KeyReader {
  readonly #text: string;
  #rest: string;

  constructor(text: string) {
    this.#text = text;
    this.#rest = text;
  }

  fail(reason: string): never {
    throw new UsageError(`${reason}: invalid field specification ${quoteWord(this.#text)}`, { hint: false });
  }

  count(context: string): number {
    const [digits] = /^\d+/.exec(this.#rest) ?? [];
    if (digits === undefined) {
      throw new UsageError(`${context}: invalid count at start of ${quoteWord(this.#rest)}`, { hint: false });
    }
    this.#rest = this.#rest.slice(digits.length);
    return Number(digits);
  }

  take(character: string): boolean {
    if (!this.#rest.startsWith(character)) return false;
    this.#rest = this.#rest.slice(character.length);
    return true;
  }

  letters(): string {
    const [letters = ""] = /^[bdfghiMnRrV]*/.exec(this.#rest) ?? [];
    this.#rest = this.#rest.slice(letters.length);
    return letters;
  }

  end(): void {
    if (this.#rest !== "") this.fail("stray character in field spec");
  }
}

/** The key of the whole line. */
export function wholeLineKey(letters: string): SortKey {
  return {
    startField: 0,
    startByte: 0,
    endField: undefined,
    endByte: 0,
    skipsStartBlanks: letters.includes("b"),
    skipsEndBlanks: letters.includes("b"),
    order: new Set(letters.replaceAll("b", "")),
  };
}

/**
 * Reads the value of `-k`.
 *
 * @param inherited letters of the options outside of keys, for a key that has none of its own.
 * @throws UsageError
 */
export function parseKey(text: string, inherited: string): SortKey {
  const reader = new KeyReader(text);
  const startField = reader.count("invalid number at field start");
  if (startField === 0) reader.fail("field number is zero");
  const startByte = reader.take(".") ? reader.count("invalid number after '.'") : 1;
  if (startByte === 0) reader.fail("character offset is zero");
  const startLetters = reader.letters();
  let endField: number | undefined;
  let endByte = 0;
  let endLetters = "";
  if (reader.take(",")) {
    endField = reader.count("invalid number after ','") - 1;
    if (endField < 0) reader.fail("field number is zero");
    if (reader.take(".")) endByte = reader.count("invalid number after '.'");
    endLetters = reader.letters();
  }
  reader.end();
  const inherits = startLetters + endLetters === "";
  const orders = inherits ? inherited : startLetters + endLetters;
  return {
    startField: startField - 1,
    startByte: startByte - 1,
    endField,
    endByte,
    skipsStartBlanks: (inherits ? inherited : startLetters).includes("b"),
    skipsEndBlanks: (inherits ? inherited : endLetters).includes("b"),
    order: new Set(orders.replaceAll("b", "")),
  };
}

/** @throws UsageError where a key is to be compared in two ways at once. */
export function refuseMixedOrders({ order }: SortKey): void {
  const ways = [..."nghM"].filter((letter) => order.has(letter)).length;
  const isText = [..."VRdi"].some((letter) => order.has(letter));
  if (ways + (isText ? 1 : 0) <= 1) return;
  // Of the two that leave bytes out, the stricter one counts.
  const shown = [...ORDER_LETTERS].filter(
    (letter) => letter !== "r" && order.has(letter) && !(letter === "i" && order.has("d")),
  );
  throw new UsageError(`options '-${shown.join("")}' are incompatible`, { hint: false });
}
