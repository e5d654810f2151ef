import { concatenate } from "./byte-strings.ts";

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

/** Bytes of endless input that are held while a reader looks for a delimiter. */
const MAX_ENDLESS_BYTES = 32 * 1024 * 1024;

export function endlessInputMessage(bytes: number): string {
  return `endless input ends after ${bytes} bytes: limit of this machine`;
}

export class EndlessInputError extends Error {
  override readonly name = "EndlessInputError";

  constructor(bytes: number) {
    super(endlessInputMessage(bytes));
  }
}

/** Standard input, read from its front. The next command gets what one command leaves unread. */
export class ByteInput {
  #chunks: Uint8Array[] = [];
  #length = 0;
  #isClosed: boolean;
  #failure: Error | undefined;
  #interruptions = 0;
  readonly #waiting = new Set<() => void>();
  readonly #refill: (() => Uint8Array) | undefined;

  /**
   * @param initial all of the input; undefined: it is written later.
   * @param refill supplies more of an endless input when everything has been read; may throw to end the reading.
   */
  constructor(initial?: Uint8Array, refill?: () => Uint8Array) {
    this.#isClosed = initial !== undefined && refill === undefined;
    this.#refill = refill;
    if (initial && initial.length > 0) this.#add(initial);
  }

  get unreadBytes(): number {
    return this.#length;
  }

  get isEndless(): boolean {
    return this.#refill !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return;
    this.#add(bytes.slice());
    this.#wake();
  }

  /** No more input will arrive. Existing input can still be read. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.close();
  }

  /** Ends each waiting `readUntil`. Later input is left for the next one. */
  interrupt(): void {
    this.#interruptions++;
    this.#wake();
  }

  /** Reads up to and including a byte, or `most` bytes. @returns nothing when interrupted or out of time. */
  async readUntil(delimiter: number | undefined, most: number, milliseconds?: number): Promise<Uint8Array> {
    const timer = milliseconds === undefined ? undefined : setTimeout(() => this.interrupt(), milliseconds);
    const interruptions = this.#interruptions;
    try {
      for (;;) {
        if (this.#failure) throw this.#failure;
        const found = delimiter === undefined ? -1 : this.#indexOf(delimiter);
        const end = found >= 0 ? found + 1 : this.#length;
        if (found >= 0 || end >= most || this.#isClosed) return this.#take(Math.min(end, most));
        if (interruptions !== this.#interruptions) return NOTHING;
        await this.#more();
      }
    } finally {
      if (timer !== undefined) clearTimeout(timer);
    }
  }

  async readLine(): Promise<Uint8Array | undefined> {
    const bytes = await this.readUntil(NEWLINE, Number.POSITIVE_INFINITY);
    return bytes.length > 0 ? bytes : undefined;
  }

  /** Reads at least one byte and at most `length`; none at the end. */
  async readSome(length: number): Promise<Uint8Array> {
    while (length > 0 && this.#length === 0 && !this.#isClosed) await this.#more();
    if (this.#failure) throw this.#failure;
    return this.#take(Math.min(length, this.#length));
  }

  /** Reads to the end. @throws Error where there are more than `limit` bytes. */
  async readAll(limit: number): Promise<Uint8Array> {
    while (!this.#isClosed && this.#length <= limit) await this.#more();
    if (this.#failure) throw this.#failure;
    if (this.#length > limit) throw new Error(`input larger than ${limit} bytes: limit of this machine`);
    return this.#take(this.#length);
  }

  #add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  async #more(): Promise<void> {
    if (this.#refill) {
      if (this.#length > MAX_ENDLESS_BYTES) throw new EndlessInputError(MAX_ENDLESS_BYTES);
      this.#add(this.#refill());
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #indexOf(byte: number): number {
    let offset = 0;
    for (const chunk of this.#chunks) {
      const index = chunk.indexOf(byte);
      if (index >= 0) return offset + index;
      offset += chunk.length;
    }
    return -1;
  }

  #take(length: number): Uint8Array {
    const [chunk] = this.#chunks;
    if (length === 0 || chunk === undefined) return NOTHING;
    const first = chunk.length < length ? concatenate(this.#chunks) : chunk;
    if (first !== chunk) this.#chunks = [first];
    this.#length -= length;
    if (first.length === length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(length);
    return first.subarray(0, length);
  }
}
