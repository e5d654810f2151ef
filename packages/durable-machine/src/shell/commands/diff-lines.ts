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

/** The changes between two sequences of lines: as few as possible, or a single one if these are too many. */
export function compareLines<Line>(left: readonly Line[], right: readonly Line[]): Change[] {
  // Lines that only one side has need no search.
  const [leftLines, rightLines] = [new Set(left), new Set(right)];
  const leftPlaces = [...left.entries()].filter(([, line]) => rightLines.has(line));
  const rightPlaces = [...right.entries()].filter(([, line]) => leftLines.has(line));
  const parts = diffArrays(
    leftPlaces.map(([, line]) => line),
    rightPlaces.map(([, line]) => line),
    { maxEditLength: MAX_EDITS },
  );
  const changes: Change[] = [];
  let [leftStart, rightStart] = [0, 0];
  const endChange = (leftEnd: number, rightEnd: number) => {
    const isEmpty = leftStart === leftEnd && rightStart === rightEnd;
    if (!isEmpty) changes.push({ leftStart, leftEnd, rightStart, rightEnd });
    [leftStart, rightStart] = [leftEnd + 1, rightEnd + 1];
  };
  let [i, j] = [0, 0];
  for (const { added, removed, count } of parts ?? []) {
    for (let n = 0; n < count && !added && !removed; n++) {
      endChange(leftPlaces[i + n]?.[0] ?? 0, rightPlaces[j + n]?.[0] ?? 0);
    }
    if (!added) i += count;
    if (!removed) j += count;
  }
  endChange(left.length, right.length);
  return changes;
}
