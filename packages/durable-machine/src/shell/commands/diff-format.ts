import type { Change } from "./diff-lines.ts";

/** Lines with their newlines as byte strings. The last one may have no newline. */
export type Lines = readonly string[];

function prefixed(prefix: string, lines: Lines): string {
  return lines
    .map((line) => prefix + (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`))
    .join("");
}

/** A range of line numbers, both included. */
function range(start: number, end: number): string {
  return end - start <= 1 ? String(end) : `${start + 1},${end}`;
}

export function normalFormat(left: Lines, right: Lines, changes: readonly Change[]): string[] {
  return changes.map(({ leftStart, leftEnd, rightStart, rightEnd }) => {
    const letter = leftStart === leftEnd ? "a" : rightStart === rightEnd ? "d" : "c";
    const title = `${range(leftStart, leftEnd)}${letter}${range(rightStart, rightEnd)}\n`;
    const removed = prefixed("< ", left.slice(leftStart, leftEnd));
    const added = prefixed("> ", right.slice(rightStart, rightEnd));
    return title + removed + (letter === "c" ? "---\n" : "") + added;
  });
}

/** The start line and the number of lines of a hunk. */
function extent(start: number, end: number): string {
  if (end - start === 1) return String(end);
  return `${start === end ? start : start + 1},${end - start}`;
}

/** The hunks without the names of the files. @param context unchanged lines around each change. */
export function unifiedFormat(
  left: Lines,
  right: Lines,
  { changes, context }: { changes: readonly Change[]; context: number },
): string[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const previous = hunk?.at(-1);
    if (hunk && previous && change.leftStart - previous.leftEnd <= 2 * context) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => {
    const [first, last] = [hunk[0], hunk.at(-1)];
    if (first === undefined || last === undefined) return "";
    const before = Math.min(context, first.leftStart, first.rightStart);
    const after = Math.min(context, left.length - last.leftEnd, right.length - last.rightEnd);
    const leftExtent = extent(first.leftStart - before, last.leftEnd + after);
    const rightExtent = extent(first.rightStart - before, last.rightEnd + after);
    let text = `@@ -${leftExtent} +${rightExtent} @@\n`;
    let place = first.leftStart - before;
    for (const { leftStart, leftEnd, rightStart, rightEnd } of hunk) {
      text += prefixed(" ", left.slice(place, leftStart));
      text +=
        prefixed("-", left.slice(leftStart, leftEnd)) + prefixed("+", right.slice(rightStart, rightEnd));
      place = leftEnd;
    }
    return text + prefixed(" ", left.slice(place, last.leftEnd + after));
  });
}
