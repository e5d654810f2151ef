/** How a text of a terminal looks. Colors are 0 to 15. */
export interface TextStyle {
  color?: number;
  isBold?: boolean;
  isDim?: boolean;
  isUnderlined?: boolean;
}

export interface Span {
  text: string;
  style: TextStyle;
}

const ESCAPE = "\u001B";

/** A control sequence, or a sequence that sets a title, or another escape. */
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[([0-?]*)[ -/]*([@-~])|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[ -/]*[0-Z^-~])`,
  "g",
);

/** A sequence whose end has not arrived. */
const UNFINISHED = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*|\\][^\\u0007]{0,1000})?$`);

/** All control characters but tabs and line feeds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F]/g;

/**
 * Parses the colors of a part of a terminal's output. All other sequences are left out.
 *
 * @param style is that of the part before.
 * @returns also the style of the next part, and what has to be put before it.
 */
export function parseANSI(
  output: string,
  style: TextStyle,
): { spans: Span[]; style: TextStyle; rest: string } {
  const rest = UNFINISHED.exec(output)?.[0] ?? "";
  const text = output.slice(0, output.length - rest.length);
  const spans: Span[] = [];
  let current = style;
  let from = 0;
  const add = (to: number) => {
    const shown = text
      .slice(from, to)
      .replace(/\r+(?!\n|\r)/g, "\n")
      .replace(CONTROLS, "");
    if (shown !== "") spans.push({ text: shown, style: current });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m") current = applyCodes(current, (match[1] ?? "").split(/[;:]/).map(Number));
  }
  add(text.length);
  return { spans, style: current, rest };
}

function applyCodes(style: TextStyle, codes: readonly number[]): TextStyle {
  let next = style;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const color = codes[index + 2] ?? 16;
      // Only the first 16 colors of the palette have a color in the console's themes.
      if (code === 38) next = { ...next, color: isIndexed && color < 16 ? color : undefined };
      index += isIndexed ? 2 : 4;
    } else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: TextStyle, code: number): TextStyle {
  if (code === 0) return {};
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  return style;
}

export function classOf({ color, isBold, isDim, isUnderlined }: TextStyle): string | undefined {
  const names = [
    color !== undefined && `ansi-${color % 8}`,
    isBold && "is-bold",
    isDim && "dim",
    isUnderlined && "is-underlined",
  ];
  return names.filter(Boolean).join(" ") || undefined;
}
