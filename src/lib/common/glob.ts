/** `*` stands for any characters. A regular expression could backtrack. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = "", ...others] = glob.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
