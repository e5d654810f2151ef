const NEWLINE = 0x0a;

export function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let index = bytes.indexOf(NEWLINE); index !== -1; index = bytes.indexOf(NEWLINE, index + 1)) count++;
  return count;
}

/** Where the first `lines` lines of the bytes end; undefined: they go on. */
export function endOfLines(bytes: Uint8Array, lines: number): number | undefined {
  let end = 0;
  for (let line = 0; line < lines; line++) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return undefined;
    end = newline + 1;
  }
  return end;
}

/** Where the last `lines` lines of the bytes begin. The very last line may have no newline. */
export function startOfLastLines(bytes: Uint8Array, lines: number): number {
  if (lines === 0) return bytes.length;
  // A newline at the end begins no line.
  const inner = bytes.subarray(0, -1);
  const before = countNewlines(inner) - lines + 1;
  return before <= 0 ? 0 : (endOfLines(inner, before) ?? 0);
}

/** The newest bytes or lines of a stream: what is no longer among them comes out in front. */
export class HeldBytes {
  readonly #count: number;
  readonly #measure: (bytes: Uint8Array) => number;
  readonly #pieces: { bytes: Uint8Array; measured: number }[] = [];
  #measured = 0;
  #length = 0;

  /** Holds at least the last `count` units of what it is given. */
  constructor(count: number, unit: "lines" | "bytes") {
    // One line more, since the newline at the end of all belongs to the last line.
    this.#count = unit === "lines" ? count + 1 : count;
    this.#measure = unit === "lines" ? countNewlines : (bytes) => bytes.length;
  }

  /** Bytes that it holds. */
  get length(): number {
    return this.#length;
  }

  /** @returns the pieces that the new one pushes out. */
  push(bytes: Uint8Array): Uint8Array[] {
    const added = this.#measure(bytes);
    this.#pieces.push({ bytes, measured: added });
    this.#measured += added;
    this.#length += bytes.length;
    const out: Uint8Array[] = [];
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#measured - first.measured < this.#count) break;
      this.#pieces.shift();
      this.#measured -= first.measured;
      this.#length -= first.bytes.length;
      out.push(first.bytes);
    }
    return out;
  }

  /** All that it holds. */
  join(): Uint8Array {
    const whole = new Uint8Array(this.#length);
    let offset = 0;
    for (const { bytes } of this.#pieces) {
      whole.set(bytes, offset);
      offset += bytes.length;
    }
    return whole;
  }
}
