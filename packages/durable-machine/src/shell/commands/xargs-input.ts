import { UsageError } from "./options.ts";

/** An argument of the input, and whether it is the last one of its line. */
export interface XargsItem {
  text: string;
  endsLine: boolean;
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}

/** Reads words as a shell would quote them, without what a shell would replace. */
class WordReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param byLine blanks within a line belong to the word, as with `-I`. */
  *words(byLine: boolean): Generator<XargsItem> {
    for (;;) {
      this.#skipBlank(byLine);
      if (this.#position >= this.#text.length) return;
      const text = this.#word(byLine);
      // A blank at the end of a line makes the next one part of it.
      const next = this.#text[this.#position];
      if (next !== undefined && isBlank(next)) this.#skipBlanksOfLine();
      const endsLine = next === "\n" || this.#position >= this.#text.length;
      yield { text, endsLine };
    }
  }

  #skipBlank(byLine: boolean): void {
    while (this.#position < this.#text.length) {
      const character = this.#text[this.#position] ?? "";
      if (!isBlank(character) && character !== "\n" && !(byLine && character === "\r")) return;
      this.#position++;
    }
  }

  #skipBlanksOfLine(): void {
    while (isBlank(this.#text[this.#position] ?? "")) this.#position++;
  }

  #word(byLine: boolean): string {
    let word = "";
    for (; this.#position < this.#text.length; this.#position++) {
      const character = this.#text[this.#position] ?? "";
      if (character === "\n" || (!byLine && isBlank(character))) break;
      if (character === "'" || character === '"') word += this.#quoted(character);
      else if (character === "\\") word += this.#text[++this.#position] ?? "";
      else word += character;
    }
    return word;
  }

  #quoted(quote: string): string {
    const start = this.#position + 1;
    const end = this.#text.indexOf(quote, start);
    const newline = this.#text.indexOf("\n", start);
    if (end === -1 || (newline !== -1 && newline < end)) {
      const name = quote === '"' ? "double" : "single";
      const message = `unmatched ${name} quote; by default quotes are special to xargs unless you use the -0 option`;
      throw new UsageError(message, { hint: false });
    }
    this.#position = end;
    return this.#text.slice(start, end);
  }
}

/** The character that `-d` names. @throws UsageError */
export function readDelimiter(text: string): string {
  const escapes: Record<string, string> = {
    "\\n": "\n",
    "\\t": "\t",
    "\\r": "\r",
    "\\0": "\0",
    "\\a": "\x07",
    "\\b": "\b",
    "\\f": "\f",
    "\\v": "\v",
    "\\\\": "\\",
  };
  const [, hex] = /^\\x([0-9a-fA-F]{1,2})$/.exec(text) ?? [];
  const [, octal] = /^\\([0-7]{1,3})$/.exec(text) ?? [];
  const known = escapes[text];
  if (known !== undefined) return known;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (text.length === 1) return text;
  throw new UsageError(
    `Invalid input delimiter specification ${text}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    { hint: false },
  );
}

/** Items between delimiters, where nothing is special. */
export function splitAt(text: string, delimiter: string): XargsItem[] {
  const parts = text.split(delimiter);
  // A delimiter ends its item; there is no empty one behind the last.
  if (parts.at(-1) === "") parts.pop();
  return parts.map((part) => ({ text: part, endsLine: true }));
}

/**
 * The items of an input: words, or with `byLine` lines.
 *
 * @param end an item that ends the input.
 * @throws UsageError of a quote without its counterpart; what came before has been given out.
 */
export function* splitWords(text: string, byLine: boolean, end?: string): Generator<XargsItem> {
  for (const item of new WordReader(text).words(byLine)) {
    if (item.text === end) return;
    yield item;
  }
}
