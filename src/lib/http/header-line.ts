const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const isBlank = (character: string | undefined) => character === " " || character === "\t";

/** @returns undefined unless the line is a header. The value has no blanks around it. */
export function parseHeaderLine(line: string): { name: string; value: string } | undefined {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  let start = colon + 1;
  let end = line.length;
  while (isBlank(line[start])) start += 1;
  while (end > start && isBlank(line[end - 1])) end -= 1;
  const value = line.slice(start, end);
  return NAME.test(name) && !/[\r\n\0]/.test(value) ? { name, value } : undefined;
}
