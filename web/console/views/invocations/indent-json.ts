const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Deeper levels are indented no further, so that hostile nesting costs no memory. */
const MAX_DEPTH = 30;

/** Indents JSON, even if cut off. Values are not read, so long numbers and repeated keys stay as they are. */
export function indentJSON(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let last = "";
  const breakLine = () => parts.push(`\n${"  ".repeat(Math.min(depth, MAX_DEPTH))}`);
  const isOpening = (token: string) => token === "{" || token === "[";
  for (const [token] of json.matchAll(TOKEN)) {
    const isClosing = token === "}" || token === "]";
    if (isClosing) depth -= 1;
    if (isClosing ? !isOpening(last) : last === "," || isOpening(last)) breakLine();
    parts.push(token === ":" ? ": " : token);
    if (isOpening(token)) depth += 1;
    last = token;
  }
  return parts.join("");
}
