import { copyStart } from "../../../lib/common/copy-start.ts";

const MAX_ENTRIES = 1000;

const MAX_LENGTH = 1000;

/** The last entries of a console or network log, numbered from 1. */
export class EntryLog {
  readonly #entries: { text: string; kind: string }[] = [];
  #count = 0;

  add(text: string, kind: string): void {
    this.#count += 1;
    this.#entries.push({ text: toLine(text), kind });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  /** Prints the entries after number `since`, and what to pass the next time. */
  print(since = 0, includes: (kind: string) => boolean): string {
    const first = Math.max(since - (this.#count - this.#entries.length), 0);
    const lines = this.#entries.slice(first).flatMap(({ text, kind }) => (includes(kind) ? text : []));
    return [...lines, `(${lines.length} entries. For later ones: since ${this.#count})`].join("\n");
  }
}

/** One line without control characters, whatever a page has put into the text. */
export function toLine(text: string): string {
  const line = copyStart(text, MAX_LENGTH + 1).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`;
}
