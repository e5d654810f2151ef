/** How a text of a terminal looks. Colors are 0 to 7. */
export interface TextStyle {
  color?: number;
  isBold?: boolean;
}

interface Span {
  text: string;
  style: TextStyle;
}

/** Of one sequence. */
const MAX_CODES = 50;

const ESCAPE = "\u001B";

/** A control sequence, or a sequence that sets a title, or another escape. */
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[([0-?]*)[ -/]*([@-~])|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[ -/]*[0-Z^-~])`,
  "g",
);

/** A sequence, or a line's end, whose rest has not arrived. */
const UNFINISHED = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*|\\][^\\u0007${ESCAPE}]{0,1000}${ESCAPE}?)?$|\\r$`);

/** All control characters but tabs and line feeds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F]/g;

/**
 * Parses the colors of a part of a terminal's output. All other sequences are left out.
 *
 * @param style is that of the part before.
 * @returns also the style of the next part, and what has to be put before it.
 */
export function parseANSI(output: string, style: TextStyle) {
  const rest = UNFINISHED.exec(output)?.[0] ?? "";
  const text = output.slice(0, output.length - rest.length);
  const spans: Span[] = [];
  let current = style;
  let from = 0;
  const add = (to: number) => {
    const lines = text.slice(from, to).replace(/\r+(?!\n|\r)/g, "\n");
    const shown = lines.replace(CONTROLS, "");
    if (shown !== "") spans.push({ text: shown, style: current });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m")
      current = applyCodes(current, (match[1] ?? "").split(/[;:]/, MAX_CODES).map(Number));
  }
  add(text.length);
  return { spans, style: current, rest };
}

function applyCodes(style: TextStyle, [code = 0, ...rest]: readonly number[]): TextStyle {
  // A color of the palette or of 24 bits has none in the console's themes, and its numbers are no codes.
  const isOther = code === 38 || code === 48;
  const left = isOther ? rest.slice(rest[0] === 5 ? 2 : 4) : rest;
  const next = isOther ? style : applyCode(style, code);
  return left.length === 0 ? next : applyCodes(next, left);
}

function applyCode(style: TextStyle, code: number): TextStyle {
  if (code === 0) return {};
  if (code === 1 || code === 22) return { ...style, isBold: code === 1 };
  const isColor = (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
  return isColor || code === 39 ? { ...style, color: isColor ? code % 10 : undefined } : style;
}

export function classOf({ color, isBold }: TextStyle): string {
  return `${color === undefined ? "" : `ansi-${color}`} ${isBold ? "is-input" : ""}`.trim();
}
