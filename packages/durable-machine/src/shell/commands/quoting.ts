/** Characters that mean nothing to a shell between double quotes, so that `"it's"` can stand for a name. */
const PLAIN_IN_DOUBLE_QUOTES = /^[\p{L}\p{N}\p{M} %+,\-./:@\]_}']*$/u;

const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`;
  });
}

/** A file's name as the core utilities write it in their messages: so that it can be given to a shell again. */
export function quoteName(name: string): string {
  if (name.includes("'") && PLAIN_IN_DOUBLE_QUOTES.test(name)) return `"${name}"`;
  const quoted = name
    .replaceAll("'", "'\\''")
    .replace(/\p{Cc}+/gu, (controls, start: number, whole: string) => {
      const isEnd = start + controls.length === whole.length;
      return `'$'${escapeControls(controls)}${isEnd ? "" : "''"}`;
    });
  return `'${quoted}'`;
}

/** A word of the command line as the core utilities write it in their messages. */
export function quoteWord(word: string): string {
  return `'${escapeControls(word.replace(/[\\']/g, "\\$&"))}'`;
}

/** A word as a shell would need it: bare where that is safe. */
export function quoteForShell(word: string): string {
  return /^[\w%+,\-./:=@^]+$/.test(word) ? word : quoteName(word);
}
