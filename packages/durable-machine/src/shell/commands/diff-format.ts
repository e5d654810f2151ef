import type { Change } from "./diff-lines.ts";

/** Lines of a file, with their newlines; the last one may have none. A character for each byte. */
export type Lines = readonly string[];

const NO_NEWLINE = "\n\\ No newline at end of file\n";

/** A line behind what marks it. */
function marked(mark: string, line: string): string {
  return mark + (line.endsWith("\n") ? line : line + NO_NEWLINE);
}

/** Line numbers from one to another, both of them inside. */
function range(start: number, end: number): string {
  return end - start <= 1 ? String(end) : `${start + 1},${end}`;
}

/** The changes as the command writes them without options. */
export function normalFormat(left: Lines, right: Lines, changes: readonly Change[]): string[] {
  return changes.map(({ leftStart, leftEnd, rightStart, rightEnd }) => {
    const letter = leftStart === leftEnd ? "a" : rightStart === rightEnd ? "d" : "c";
    const removed = left.slice(leftStart, leftEnd).map((line) => marked("< ", line));
    const added = right.slice(rightStart, rightEnd).map((line) => marked("> ", line));
    const divider = letter === "c" ? "---\n" : "";
    const title = `${range(leftStart, leftEnd)}${letter}${range(rightStart, rightEnd)}\n`;
    return title + removed.join("") + divider + added.join("");
  });
}

/** Changes whose surroundings touch. */
function hunks(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (group && previous && change.leftStart - previous.leftEnd <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** A change with the lines around it. */
function surroundings(group: readonly Change[], context: number, left: Lines, right: Lines): Change {
  const first = group[0] ?? { leftStart: 0, rightStart: 0 };
  const last = group.at(-1) ?? { leftEnd: 0, rightEnd: 0 };
  const before = Math.min(context, first.leftStart, first.rightStart);
  const after = Math.min(context, left.length - last.leftEnd, right.length - last.rightEnd);
  return {
    leftStart: first.leftStart - before,
    leftEnd: last.leftEnd + after,
    rightStart: first.rightStart - before,
    rightEnd: last.rightEnd + after,
  };
}

/** `12,3` stands for three lines from the twelfth on. */
function extent(start: number, end: number): string {
  if (end - start === 1) return String(end);
  return `${start === end ? start : start + 1},${end - start}`;
}

/** As `-u` writes it, without the names. */
export function unifiedFormat(
  left: Lines,
  right: Lines,
  changes: readonly Change[],
  context: number,
): string[] {
  return hunks(changes, context).map((group) => {
    const whole = surroundings(group, context, left, right);
    let text = `@@ -${extent(whole.leftStart, whole.leftEnd)} +${extent(whole.rightStart, whole.rightEnd)} @@\n`;
    let place = whole.leftStart;
    const keep = (end: number) => {
      for (; place < end; place++) text += marked(" ", left[place] ?? "");
    };
    for (const { leftStart, leftEnd, rightStart, rightEnd } of group) {
      keep(leftStart);
      for (; place < leftEnd; place++) text += marked("-", left[place] ?? "");
      for (const line of right.slice(rightStart, rightEnd)) text += marked("+", line);
    }
    keep(whole.leftEnd);
    return text;
  });
}

/** As `-c` writes it, without the names. */
export function contextFormat(
  left: Lines,
  right: Lines,
  changes: readonly Change[],
  context: number,
): string[] {
  return hunks(changes, context).map((group) => {
    const whole = surroundings(group, context, left, right);
    const removed = group.map(({ leftStart, leftEnd, rightStart, rightEnd }) => ({
      start: leftStart,
      end: leftEnd,
      mark: rightStart === rightEnd ? "- " : "! ",
    }));
    const added = group.map(({ leftStart, leftEnd, rightStart, rightEnd }) => ({
      start: rightStart,
      end: rightEnd,
      mark: leftStart === leftEnd ? "+ " : "! ",
    }));
    const side = (lines: Lines, start: number, end: number, parts: typeof removed) => {
      if (parts.every((part) => part.start === part.end)) return "";
      const markOf = (place: number) =>
        parts.find((part) => part.start <= place && place < part.end)?.mark ?? "  ";
      return lines
        .slice(start, end)
        .map((line, index) => marked(markOf(start + index), line))
        .join("");
    };
    const before = side(left, whole.leftStart, whole.leftEnd, removed);
    const after = side(right, whole.rightStart, whole.rightEnd, added);
    const [one, two] = [range(whole.leftStart, whole.leftEnd), range(whole.rightStart, whole.rightEnd)];
    return `***************\n*** ${one} ****\n${before}--- ${two} ----\n${after}`;
  });
}
