import type { Change } from "./diff-lines.ts";

/** Lines of a file, with their newlines; the last one may have none. A character for each byte. */
export type Lines = readonly string[];

function marked(mark: string, lines: Lines): string {
  return lines
    .map((line) => mark + (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`))
    .join("");
}

/** Line numbers from one to another, both of them included. */
function range(start: number, end: number): string {
  return end - start <= 1 ? String(end) : `${start + 1},${end}`;
}

/** The changes as the command writes them without options. */
export function normalFormat(left: Lines, right: Lines, changes: readonly Change[]): string[] {
  return changes.map(({ leftStart, leftEnd, rightStart, rightEnd }) => {
    const letter = leftStart === leftEnd ? "a" : rightStart === rightEnd ? "d" : "c";
    const title = `${range(leftStart, leftEnd)}${letter}${range(rightStart, rightEnd)}\n`;
    const removed = marked("< ", left.slice(leftStart, leftEnd));
    const added = marked("> ", right.slice(rightStart, rightEnd));
    return title + removed + (letter === "c" ? "---\n" : "") + added;
  });
}

/** Changes whose surroundings touch. */
function hunks(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const previous = groups.at(-1)?.at(-1);
    if (previous && change.leftStart - previous.leftEnd <= 2 * context) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** `12,3` stands for three lines from the twelfth on. */
function extent(start: number, end: number): string {
  if (end - start === 1) return String(end);
  return `${start === end ? start : start + 1},${end - start}`;
}

/** The changes as -u writes them, without the names. @param context unchanged lines around each of them. */
export function unifiedFormat(
  left: Lines,
  right: Lines,
  changes: readonly Change[],
  context: number,
): string[] {
  return hunks(changes, context).map((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return "";
    const before = Math.min(context, first.leftStart, first.rightStart);
    const after = Math.min(context, left.length - last.leftEnd, right.length - last.rightEnd);
    const leftExtent = extent(first.leftStart - before, last.leftEnd + after);
    const rightExtent = extent(first.rightStart - before, last.rightEnd + after);
    let text = `@@ -${leftExtent} +${rightExtent} @@\n`;
    let place = first.leftStart - before;
    for (const { leftStart, leftEnd, rightStart, rightEnd } of group) {
      text += marked(" ", left.slice(place, leftStart));
      text += marked("-", left.slice(leftStart, leftEnd)) + marked("+", right.slice(rightStart, rightEnd));
      place = leftEnd;
    }
    return text + marked(" ", left.slice(place, last.leftEnd + after));
  });
}
