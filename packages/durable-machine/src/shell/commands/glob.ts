function escapeCharacters(text: string): string {
  return Array.from(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join("");
}

/** The characters between brackets, such as `a-z_`. A reversed range matches nothing. */
function setSource(set: string, negation: string): string {
  const ranges = [...set.matchAll(/(.)-(.)|./gsu)].map(([text, low, high]) => {
    if (low === undefined || high === undefined) return escapeCharacters(text);
    return low <= high ? `${escapeCharacters(low)}-${escapeCharacters(high)}` : "";
  });
  return `[${negation && "^"}${ranges.join("")}]`;
}

/** A regular expression in which each star of the pattern is still a plain `*`. */
function patternSource(pattern: string): string {
  return pattern.replace(/\\(.)|\[([!^]?)(\]?[^\]]{0,63})\]|./gsu, (symbol, escaped, negation, set) => {
    if (set !== undefined) return setSource(set, negation);
    if (symbol === "*") return "*";
    return symbol === "?" ? "." : escapeCharacters(escaped ?? symbol);
  });
}

export function matchesGlob(text: string, pattern: string): boolean {
  const [first = "", ...parts] = patternSource(pattern).split("*");
  const last = parts.pop();
  // A lookahead does not backtrack, so that the time is at most the product of both lengths.
  const middle = parts.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join("");
  const end = last === undefined ? "" : `${middle}.*${last}`;
  return new RegExp(`^${first}${end}$`, "su").test(text);
}
