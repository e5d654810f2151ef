/** Lines `[leftStart, leftEnd)` of one file stand in the other one's place `[rightStart, rightEnd)`. */
export interface Change {
  leftStart: number;
  leftEnd: number;
  rightStart: number;
  rightEnd: number;
}

/** Lets others have their turn. @param cost 1 is as much work as an ordinary step of a command. */
type Step = (cost: number) => Promise<void>;

/** How many edits a search goes through before it takes the best that it has: it bounds the time, not what is right. */
const MOST_EDITS = 1024;

const COMPARISONS_PER_STEP = 500;

/** One side: a number for each line, equal for equal lines; and which lines the other side lacks. */
interface Side {
  lines: readonly number[];
  changed: Uint8Array;
}

/** Lines that the other side has at all, and where they are. */
interface Candidates {
  lines: Int32Array;
  places: Int32Array;
}

function candidatesOf({ lines, changed }: Side, other: Side): Candidates {
  const known = new Set(other.lines);
  const places: number[] = [];
  for (const [place, line] of lines.entries()) {
    if (known.has(line)) places.push(place);
    else changed[place] = 1;
  }
  return { lines: Int32Array.from(places, (place) => lines[place] ?? 0), places: Int32Array.from(places) };
}

interface Box {
  left: number;
  leftEnd: number;
  right: number;
  rightEnd: number;
}

/** Finds a shortest edit script as Myers does: in linear space, from the middle of each box. */
class Search {
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #step: Step;
  /** For each diagonal, how far on the left side a path from the front or from the back has come. */
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  readonly #offset: number;

  constructor(left: Int32Array, right: Int32Array, step: Step) {
    this.#left = left;
    this.#right = right;
    this.#step = step;
    const diagonals = left.length + right.length + 3;
    this.#forward = new Int32Array(diagonals);
    this.#backward = new Int32Array(diagonals);
    this.#offset = right.length + 1;
  }

  /** @param onChange is told of the lines that are on one side only. */
  async run(onChange: (side: "left" | "right", index: number) => void): Promise<void> {
    const boxes: Box[] = [{ left: 0, leftEnd: this.#left.length, right: 0, rightEnd: this.#right.length }];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      const { left, leftEnd, right, rightEnd } = this.#trim(box);
      if (left === leftEnd) for (let index = right; index < rightEnd; index++) onChange("right", index);
      else if (right === rightEnd) for (let index = left; index < leftEnd; index++) onChange("left", index);
      else {
        const [x, y] = await this.#middle({ left, leftEnd, right, rightEnd });
        boxes.push({ left: x, leftEnd, right: y, rightEnd }, { left, leftEnd: x, right, rightEnd: y });
      }
    }
  }

  #trim({ left, leftEnd, right, rightEnd }: Box): Box {
    while (left < leftEnd && right < rightEnd && this.#left[left] === this.#right[right]) {
      left++;
      right++;
    }
    while (left < leftEnd && right < rightEnd && this.#left[leftEnd - 1] === this.#right[rightEnd - 1]) {
      leftEnd--;
      rightEnd--;
    }
    return { left, leftEnd, right, rightEnd };
  }

  /** A point that a shortest path through the box goes through. Both ends of the box differ. */
  async #middle(box: Box): Promise<[number, number]> {
    const { left, leftEnd, right, rightEnd } = box;
    const [first, last] = [left - right, leftEnd - rightEnd];
    const isOdd = ((first - last) & 1) !== 0;
    this.#forward[this.#offset + first] = left;
    this.#backward[this.#offset + last] = leftEnd;
    for (let edits = 1, work = 0; ; edits++) {
      const meeting =
        this.#advance(box, edits, isOdd ? edits - 1 : undefined) ??
        this.#retreat(box, edits, isOdd ? undefined : edits);
      if (meeting) return meeting;
      if (edits >= MOST_EDITS) return this.#furthest(box, edits);
      work += 2 * edits;
      if (work < COMPARISONS_PER_STEP) continue;
      await this.#step(work / COMPARISONS_PER_STEP);
      work = 0;
    }
  }

  /** The diagonals inside of the box that so many edits reach from one. */
  *#diagonals({ left, leftEnd, right, rightEnd }: Box, centre: number, edits: number): Generator<number> {
    const [lowest, highest] = [left - rightEnd, leftEnd - right];
    let low = centre - edits;
    if (low < lowest) low += lowest - low + ((lowest - low) & 1);
    for (let diagonal = low; diagonal <= Math.min(centre + edits, highest); diagonal += 2) yield diagonal;
  }

  /** @param others how far the paths from the back have come, in edits, where both can meet now. */
  #advance(box: Box, edits: number, others: number | undefined): [number, number] | undefined {
    const { left, leftEnd, right, rightEnd } = box;
    const [first, last] = [left - right, leftEnd - rightEnd];
    const at = (diagonal: number) =>
      Math.abs(diagonal - first) < edits && diagonal >= left - rightEnd && diagonal <= leftEnd - right
        ? (this.#forward[this.#offset + diagonal] ?? -1)
        : -1;
    for (const diagonal of this.#diagonals(box, first, edits)) {
      let x = Math.max(at(diagonal - 1) + 1, at(diagonal + 1));
      while (x < leftEnd && x - diagonal < rightEnd && this.#left[x] === this.#right[x - diagonal]) x++;
      this.#forward[this.#offset + diagonal] = x;
      if (others === undefined || Math.abs(diagonal - last) > others) continue;
      if ((this.#backward[this.#offset + diagonal] ?? 0) <= x) return [x, x - diagonal];
    }
    return undefined;
  }

  #retreat(box: Box, edits: number, others: number | undefined): [number, number] | undefined {
    const { left, leftEnd, right, rightEnd } = box;
    const [first, last] = [left - right, leftEnd - rightEnd];
    const nowhere = leftEnd + rightEnd + 2;
    const at = (diagonal: number) =>
      Math.abs(diagonal - last) < edits && diagonal >= left - rightEnd && diagonal <= leftEnd - right
        ? (this.#backward[this.#offset + diagonal] ?? nowhere)
        : nowhere;
    for (const diagonal of this.#diagonals(box, last, edits)) {
      let x = Math.min(at(diagonal - 1), at(diagonal + 1) - 1);
      while (x > left && x - diagonal > right && this.#left[x - 1] === this.#right[x - diagonal - 1]) x--;
      this.#backward[this.#offset + diagonal] = x;
      if (others === undefined || Math.abs(diagonal - first) > others) continue;
      if (x <= (this.#forward[this.#offset + diagonal] ?? 0)) return [x, x - diagonal];
    }
    return undefined;
  }

  /** Where the path from the front has come furthest. */
  #furthest(box: Box, edits: number): [number, number] {
    const { left, leftEnd, right, rightEnd } = box;
    let best: [number, number] = [left + 1, right];
    for (const diagonal of this.#diagonals(box, left - right, edits)) {
      const x = this.#forward[this.#offset + diagonal] ?? 0;
      const y = x - diagonal;
      if (x <= leftEnd && y <= rightEnd && y >= right && x + y > best[0] + best[1]) best = [x, y];
    }
    return best;
  }
}

/**
 * Moves each run of changed lines as far down as equal lines allow, and together with its neighbours: where a run can
 * stand in several places, readers expect it in the last one, or beside a change of the other side.
 */
function shiftRuns({ lines, changed }: Side, other: Uint8Array): void {
  const end = lines.length;
  let index = 0;
  let place = 0;
  for (;;) {
    while (index < end && !changed[index]) {
      while (other[place++]);
      index++;
    }
    if (index >= end) return;
    let start = index;
    while (changed[++index]);
    while (other[place]) place++;
    let length: number;
    let corresponding: number;
    do {
      length = index - start;
      while (start > 0 && lines[start - 1] === lines[index - 1]) {
        changed[--start] = 1;
        changed[--index] = 0;
        while (changed[start - 1]) start--;
        while (other[--place]);
      }
      corresponding = other[place - 1] ? index : end;
      while (index !== end && lines[start] === lines[index]) {
        changed[start++] = 0;
        changed[index++] = 1;
        while (changed[index]) index++;
        while (other[++place]) corresponding = index;
      }
    } while (length !== index - start);
    while (corresponding < index) {
      changed[--start] = 1;
      changed[--index] = 0;
      while (other[--place]);
    }
  }
}

function changesBetween(left: Uint8Array, right: Uint8Array): Change[] {
  const changes: Change[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; i++, j++) {
    const [leftStart, rightStart] = [i, j];
    while (left[i]) i++;
    while (right[j]) j++;
    if (i > leftStart || j > rightStart) changes.push({ leftStart, leftEnd: i, rightStart, rightEnd: j });
  }
  return changes;
}

/**
 * What makes one sequence of lines out of another: with the fewest changes, unless these are very many.
 *
 * @param left and `right`: a number for each line, equal for equal lines.
 */
export async function compareLines(
  left: readonly number[],
  right: readonly number[],
  step: Step,
): Promise<Change[]> {
  const one: Side = { lines: left, changed: new Uint8Array(left.length) };
  const two: Side = { lines: right, changed: new Uint8Array(right.length) };
  const candidates = { left: candidatesOf(one, two), right: candidatesOf(two, one) };
  const changed = { left: one.changed, right: two.changed };
  await new Search(candidates.left.lines, candidates.right.lines, step).run((side, index) => {
    changed[side][candidates[side].places[index] ?? 0] = 1;
  });
  shiftRuns(one, two.changed);
  shiftRuns(two, one.changed);
  return changesBetween(one.changed, two.changed);
}
