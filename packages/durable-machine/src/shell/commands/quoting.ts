/** Characters that mean nothing to a shell between double quotes, so that `"it's"` can stand for a name. */
const PLAIN_IN_DOUBLE_QUOTES = /^[\p{L}\p{N}\p{M} %+,\-./:@\]_}']*$/u;

const CONTROL = /[\p{Cc}]/u;

const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function escapeControl(character: string): string {
  return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`;
}

/** A file's name as the core utilities write it in their messages: so that it can be given to a shell again. */
export function quoteName(name: string): string {
  if (name.includes("'") && PLAIN_IN_DOUBLE_QUOTES.test(name)) return `"${name}"`;
  let quoted = "'";
  let escaping = false;
  for (const character of name) {
    const isControl = CONTROL.test(character);
    if (isControl && !escaping) quoted += "'$'";
    if (!isControl && escaping) quoted += "''";
    escaping = isControl;
    if (isControl) quoted += escapeControl(character);
    else quoted += character === "'" ? "'\\''" : character;
  }
  return `${quoted}'`;
}

/** A word of the command line as the core utilities write it in their messages. */
export function quoteWord(word: string): string {
  const escaped = word.replace(/[\\']/g, "\\$&").replace(/[\p{Cc}]/gu, escapeControl);
  return `'${escaped}'`;
}

/** A word as a shell would need it: bare where that is safe. */
export function quoteForShell(word: string): string {
  return /^[\w%+,\-./:=@^]+$/.test(word) ? word : quoteName(word);
}
