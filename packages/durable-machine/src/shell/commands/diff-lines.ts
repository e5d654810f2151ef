import { diffArrays } from "diff";

/** Lines `[leftStart, leftEnd)` of one file are replaced by lines `[rightStart, rightEnd)` of the other. */
export interface Change {
  leftStart: number;
  leftEnd: number;
  rightStart: number;
  rightEnd: number;
}

/** The time of a search grows with the square of the edits. This many take some tenths of a second. */
const MAX_EDITS = 1000;

/** A number for each line, equal for equal lines. */
type LineNumbers = readonly number[];

/** Marks the changed lines: as few as possible, or all of them if these are too many. */
function markChanges(left: LineNumbers, right: LineNumbers): [boolean[], boolean[]] {
  // Lines that only one side has need no search.
  const [leftLines, rightLines] = [new Set(left), new Set(right)];
  const leftPlaces = [...left.keys()].filter((place) => rightLines.has(left[place] ?? -1));
  const rightPlaces = [...right.keys()].filter((place) => leftLines.has(right[place] ?? -1));
  const parts = diffArrays(
    leftPlaces.map((place) => left[place]),
    rightPlaces.map((place) => right[place]),
    { maxEditLength: MAX_EDITS },
  );
  const marks: [boolean[], boolean[]] = [left.map(() => true), right.map(() => true)];
  for (const { added, removed, count } of parts ?? []) {
    const leftPart = leftPlaces.splice(0, added ? 0 : count);
    const rightPart = rightPlaces.splice(0, removed ? 0 : count);
    if (added || removed) continue;
    for (const place of leftPart) marks[0][place] = false;
    for (const place of rightPart) marks[1][place] = false;
  }
  return marks;
}

/** What turns one sequence of lines into another. */
export function compareLines(left: LineNumbers, right: LineNumbers): Change[] {
  const [leftMarks, rightMarks] = markChanges(left, right);
  const changes: Change[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; i++, j++) {
    const [leftStart, rightStart] = [i, j];
    while (leftMarks[i]) i++;
    while (rightMarks[j]) j++;
    if (i > leftStart || j > rightStart) changes.push({ leftStart, leftEnd: i, rightStart, rightEnd: j });
  }
  return changes;
}
