/** Reads a class of characters that begins at `[`. @returns where it ends; undefined: it is no class. */
function matchClass(
  pattern: string,
  start: number,
  character: string,
): { end: number; matches: boolean } | undefined {
  let index = start + 1;
  const isNegated = pattern[index] === "!" || pattern[index] === "^";
  if (isNegated) index++;
  const first = index;
  let matches = false;
  for (; index < pattern.length; index++) {
    const low = pattern.charAt(index);
    if (low === "]" && index > first) return { end: index + 1, matches: matches !== isNegated };
    const isRange =
      pattern[index + 1] === "-" && pattern[index + 2] !== undefined && pattern[index + 2] !== "]";
    const high = isRange ? pattern.charAt(index + 2) : low;
    if (low <= character && character <= high) matches = true;
    if (isRange) index += 2;
  }
  return undefined;
}

/**
 * Whether a shell's pattern matches a whole text. A star that has matched too little is tried again only as long as no
 * later one has come: the time is at most the product of both lengths.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0;
  let wanted = 0;
  let star: { wanted: number; at: number } | undefined;
  while (at < text.length) {
    const symbol = pattern[wanted];
    if (symbol === "*") {
      star = { wanted: ++wanted, at };
      continue;
    }
    const next = symbol === undefined ? undefined : advance(pattern, wanted, text.charAt(at));
    if (next !== undefined) {
      wanted = next;
      at++;
    } else if (star !== undefined) {
      star.at++;
      at = star.at;
      wanted = star.wanted;
    } else {
      return false;
    }
  }
  while (pattern[wanted] === "*") wanted++;
  return wanted === pattern.length;
}

/** Where the pattern goes on behind what matches a character; undefined: it does not. */
function advance(pattern: string, wanted: number, character: string): number | undefined {
  const symbol = pattern[wanted];
  if (symbol === "?") return wanted + 1;
  if (symbol === "[") {
    const found = matchClass(pattern, wanted, character);
    if (found) return found.matches ? found.end : undefined;
  }
  if (symbol === "\\" && wanted + 1 < pattern.length) {
    return pattern[wanted + 1] === character ? wanted + 2 : undefined;
  }
  return symbol === character ? wanted + 1 : undefined;
}
