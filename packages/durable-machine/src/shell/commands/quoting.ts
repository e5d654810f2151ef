/** Characters that stand for themselves between a shell's double quotes. */
const PLAIN_IN_DOUBLE_QUOTES = /^[\p{L}\p{N}\p{M} %+,\-./:@\]_}']*$/u;

/** The control characters from 7 to 13. */
const ESCAPE_LETTERS = "abtnvfr";

/** A file's name as the core utilities quote it in messages: a shell reads it back. */
export function quoteName(name: string): string {
  if (name.includes("'") && PLAIN_IN_DOUBLE_QUOTES.test(name)) return `"${name}"`;
  const quoted = name
    .replaceAll("'", "'\\''")
    .replace(/\p{Cc}+/gu, (controls, start: number, whole: string) => {
      const isEnd = start + controls.length === whole.length;
      const escaped = Array.from(controls, (control) => {
        const code = control.charCodeAt(0);
        return `\\${ESCAPE_LETTERS[code - 7] ?? code.toString(8).padStart(3, "0")}`;
      });
      return `'$'${escaped.join("")}${isEnd ? "" : "''"}`;
    });
  return `'${quoted}'`;
}

export const quoteWord = quoteName;

/** A word as a shell needs it: without quotes where that is safe. */
export function quoteForShell(word: string): string {
  return /^[\w%+,\-./:=@^]+$/.test(word) ? word : quoteName(word);
}
