/**
 * Whether all of a text matches a glob in which `*` stands for any characters. It takes at most as many steps as the
 * text has characters times the glob, whatever they hold: a regular expression would try every way to divide the text.
 */
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
