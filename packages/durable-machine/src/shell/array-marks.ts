/**
 * `local a=(x "$y")` with marks in place of the parentheses, between which its parser takes the elements for words
 * like others: of the elements of an array in a declaration it keeps but half.
 *
 * Marks that end up elsewhere than in a declaration, such as in a here-document, say what they stand for.
 */
export const ARRAY_MARKS = { open: "\uE0A1", close: "\uE0A2", newline: "\uE0A3" } as const;

/** A command that declares, where a command begins. */
const DECLARATION =
  /(?:^|[\n;&|({]|\b(?:then|do|else)\s)[ \t]*(?:local|declare|typeset|export|readonly)(?=[ \t])/g;

const ARRAY = /[A-Za-z_]\w*\+?=\(/y;

/** Marks the arrays that declarations of a script fill. */
export function markArrays(text: string): string {
  let marked = "";
  let taken = 0;
  for (const { index, 0: declaration } of text.matchAll(DECLARATION)) {
    for (const array of arraysFrom(text, Math.max(taken, index + declaration.length))) {
      marked += text.slice(taken, array.start) + array.marked;
      taken = array.end;
    }
  }
  return marked + text.slice(taken);
}

/** The text that marks stand for. */
export function unmarkArrays(text: string): string {
  const { open, close, newline } = ARRAY_MARKS;
  return text.replaceAll(`${open} `, "(").replaceAll(` ${close}`, ")").replaceAll(` ${newline} `, "\n");
}

interface MarkedArray {
  /** Of its opening parenthesis. */
  start: number;
  /** Behind its closing one. */
  end: number;
  marked: string;
}

/** The arrays in the rest of a command. */
function* arraysFrom(text: string, from: number): Generator<MarkedArray> {
  let at = from;
  while (at < text.length) {
    if (text[at] === " " || text[at] === "\t") {
      at++;
      continue;
    }
    ARRAY.lastIndex = at;
    const [opening] = ARRAY.exec(text) ?? [];
    const array = opening === undefined ? undefined : markArray(text, at + opening.length - 1);
    if (array) yield array;
    const end = array?.end ?? wordEnd(text, at);
    if (end === undefined || end === at) return;
    at = end;
  }
}

/** @returns undefined: it has no end, or holds what words cannot. */
function markArray(text: string, start: number): MarkedArray | undefined {
  let marked = `${ARRAY_MARKS.open} `;
  let at = start + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === ")") return { start, end: at + 1, marked: `${marked} ${ARRAY_MARKS.close}` };
    if (character === "(" || (character === "#" && /\s/.test(text.charAt(at - 1)))) return undefined;
    const end = quotedEnd(text, at);
    if (end === undefined) return undefined;
    marked += character === "\n" ? ` ${ARRAY_MARKS.newline} ` : text.slice(at, end);
    at = end;
  }
  return undefined;
}

/** Where a word ends; undefined: not in this text. */
function wordEnd(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length && !/[\s;&|()<>]/.test(text.charAt(at))) {
    const end = quotedEnd(text, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return at;
}

/** The ends of what goes on to a character of its own, and whether other quotes mean something in it. */
const QUOTES: readonly { opening: string; closing: string; isLiteral: boolean }[] = [
  { opening: "'", closing: "'", isLiteral: true },
  { opening: "$'", closing: "'", isLiteral: false },
  { opening: '"', closing: '"', isLiteral: false },
  { opening: "`", closing: "`", isLiteral: false },
  { opening: "$(", closing: ")", isLiteral: false },
  { opening: "<(", closing: ")", isLiteral: false },
  { opening: "${", closing: "}", isLiteral: false },
];

/** The end of a character, or of all that one quotes. @returns undefined: not in this text. */
function quotedEnd(text: string, at: number): number | undefined {
  if (text[at] === "\\") return Math.min(at + 2, text.length);
  const quote = QUOTES.find(({ opening }) => text.startsWith(opening, at));
  if (!quote) return at + 1;
  const from = at + quote.opening.length;
  if (quote.isLiteral) {
    const end = text.indexOf(quote.closing, from);
    return end === -1 ? undefined : end + 1;
  }
  return closingEnd(text, from, quote.closing);
}

function closingEnd(text: string, from: number, closing: string): number | undefined {
  let depth = 1;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === closing && --depth === 0) return at + 1;
    if (closing === ")" && character === "(") depth++;
    // Within double quotes, and in `$'…'`, an apostrophe is one.
    const isPlain = character === closing || (closing !== ")" && character === "'");
    const end = isPlain ? at + 1 : quotedEnd(text, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return undefined;
}
