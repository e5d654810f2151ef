type Token = "*" | ((character: string) => boolean);

/** `a-z_` between brackets, `!` or `^` in front. */
function matchesSet(set: string, character: string): boolean {
  const isNegated = /^[!^]/.test(set);
  const ranges = (isNegated ? set.slice(1) : set).matchAll(/(.)-(.)|(.)/gs);
  const isListed = [...ranges].some(([, low, high, single = ""]) =>
    low === undefined || high === undefined ? single === character : low <= character && character <= high,
  );
  return isListed !== isNegated;
}

function readPattern(pattern: string): Token[] {
  return [...pattern.matchAll(/\\(.)|\[([!^]?\]?[^\]]*)\]|./gs)].map(([symbol, escaped, set]) => {
    if (symbol === "*") return "*";
    if (symbol === "?") return () => true;
    if (set !== undefined && set !== "") return (character) => matchesSet(set, character);
    return (character) => character === (escaped ?? symbol);
  });
}

/**
 * Whether a shell's pattern matches a whole text. A star that has matched too little is tried again only as long as no
 * later one has come: the time is at most the product of both lengths.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const tokens = readPattern(pattern);
  let at = 0;
  let wanted = 0;
  let star: { wanted: number; at: number } | undefined;
  while (at < text.length) {
    const token = tokens[wanted];
    if (token === "*") {
      star = { wanted: ++wanted, at };
    } else if (token?.(text.charAt(at))) {
      wanted++;
      at++;
    } else if (star !== undefined) {
      at = ++star.at;
      wanted = star.wanted;
    } else {
      return false;
    }
  }
  return tokens.slice(wanted).every((token) => token === "*");
}
