import { diffArrays } from "diff";

/** Lines `[leftStart, leftEnd)` of one file stand in the other one's place `[rightStart, rightEnd)`. */
export interface Change {
  leftStart: number;
  leftEnd: number;
  rightStart: number;
  rightEnd: number;
}

/** More edits than this are not searched for: the time grows with their square, to some tenths of a second here. */
const MAX_EDITS = 1000;

/** A number for each line, equal for equal lines. */
type LineNumbers = readonly number[];

/** Whether each line lacks a counterpart on the other side. */
type ChangeMarks = boolean[];

/** Marks the lines without a counterpart: with the fewest changes, or where these are too many, the whole middle. */
function markChanges(left: LineNumbers, right: LineNumbers): [ChangeMarks, ChangeMarks] {
  // Lines that the other side does not have at all need no search.
  const [leftKnown, rightKnown] = [new Set(left), new Set(right)];
  const leftPlaces = [...left.keys()].filter((place) => rightKnown.has(left[place] ?? -1));
  const rightPlaces = [...right.keys()].filter((place) => leftKnown.has(right[place] ?? -1));
  const parts = diffArrays(
    leftPlaces.map((place) => left[place]),
    rightPlaces.map((place) => right[place]),
    { maxEditLength: MAX_EDITS },
  );
  const marks: [ChangeMarks, ChangeMarks] = [left.map(() => true), right.map(() => true)];
  if (parts === undefined) {
    const shorter = Math.min(left.length, right.length);
    let prefix = 0;
    while (prefix < shorter && left[prefix] === right[prefix]) prefix++;
    let suffix = 0;
    while (suffix < shorter - prefix && left.at(-1 - suffix) === right.at(-1 - suffix)) suffix++;
    for (const side of marks) side.fill(false, 0, prefix).fill(false, side.length - suffix);
    return marks;
  }
  let [leftIndex, rightIndex] = [0, 0];
  for (const { added, removed, count } of parts) {
    for (let index = 0; index < count && !added && !removed; index++) {
      marks[0][leftPlaces[leftIndex + index] ?? 0] = false;
      marks[1][rightPlaces[rightIndex + index] ?? 0] = false;
    }
    if (!added) leftIndex += count;
    if (!removed) rightIndex += count;
  }
  return marks;
}

/** How far down equal lines allow lines that are only on one side to stand: readers expect them there. */
function slideLength(
  lines: LineNumbers,
  start: number,
  end: number,
  isNextChanged: (distance: number) => boolean,
): number {
  let length = 0;
  while (
    end + length < lines.length &&
    lines[start + length] === lines[end + length] &&
    !isNextChanged(length + 1)
  )
    length++;
  return length;
}

/** What makes one sequence of lines out of another. */
export function compareLines(left: LineNumbers, right: LineNumbers): Change[] {
  const [leftMarks, rightMarks] = markChanges(left, right);
  const changes: Change[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; i++, j++) {
    const [leftStart, rightStart] = [i, j];
    while (leftMarks[i]) i++;
    while (rightMarks[j]) j++;
    if (i === leftStart && j === rightStart) continue;
    const isNextChanged = (distance: number) => Boolean(leftMarks[i + distance] || rightMarks[j + distance]);
    let shift = 0;
    if (j === rightStart) shift = slideLength(left, leftStart, i, isNextChanged);
    else if (i === leftStart) shift = slideLength(right, rightStart, j, isNextChanged);
    changes.push({
      leftStart: leftStart + shift,
      leftEnd: i + shift,
      rightStart: rightStart + shift,
      rightEnd: j + shift,
    });
    i += shift;
    j += shift;
  }
  return changes;
}
