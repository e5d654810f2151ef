/** Standard input, read from its front. What one command leaves, the next one finds. */
export interface ByteInput {
  /** Whether it never ends: there is always more to read, until a limit of the machine. */
  readonly isEndless: boolean;
  /** Up to and with the next newline; the last line may have none. Undefined at the end. */
  readLine(): Promise<Uint8Array | undefined>;
  /** The next bytes: as many as there are, at least one and at most `length`. Empty at the end. */
  readSome(length: number): Promise<Uint8Array>;
  /** The next `length` bytes; fewer only at the end. */
  readBytes(length: number): Promise<Uint8Array>;
  /** All that is left, once its end is known. @throws Error where it is over `limit` bytes. */
  readAll(limit: number): Promise<Uint8Array>;
}

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

/** Bytes of endless input that are held while a reader looks for a delimiter. */
const MAX_ENDLESS_BYTES = 32 * 1024 * 1024;

/** What a command says that is given only the first bytes of input that never ends. */
export function endlessInputMessage(bytes: number): string {
  return `endless input ends after ${bytes} bytes: limit of this machine`;
}

/** Only the beginning of input that never ends was at hand. */
export class EndlessInputError extends Error {
  override readonly name = "EndlessInputError";

  constructor(bytes: number) {
    super(endlessInputMessage(bytes));
  }
}

function tooLarge(limit: number): string {
  return `input larger than ${limit} bytes: limit of this machine`;
}

export class InputStream implements ByteInput {
  #chunks: Uint8Array[] = [];
  #length = 0;
  #isClosed: boolean;
  #failure: Error | undefined;
  #interruptions = 0;
  readonly #waiting = new Set<() => void>();
  readonly #refill: (() => Uint8Array) | undefined;

  /**
   * @param initial what is there already; given that, nothing more comes.
   * @param refill gives more whenever all is read, of output that has no end; may throw to end the reading.
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

  /** Nothing comes any more; what is there can still be read. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Ends all reading, now and later. */
  fail(error: Error): void {
    this.#failure = error;
    this.#isClosed = true;
    this.#wake();
  }

  /** Those that wait for more go away with what there is; what comes later is not for them. */
  interrupt(): void {
    this.#interruptions++;
    this.#wake();
  }

  /**
   * Up to and with a byte, or `most` bytes, or all to the end.
   *
   * @param milliseconds how long to wait for it; default: for ever.
   */
  async readUntil(delimiter: number | undefined, most: number, milliseconds?: number): Promise<Uint8Array> {
    const interruptions = this.#interruptions;
    let isLate = false;
    const timer =
      milliseconds === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            this.#wake();
          }, milliseconds);
    try {
      for (;;) {
        this.#throwFailure();
        const found = delimiter === undefined ? -1 : this.#indexOf(delimiter);
        const end = found >= 0 ? found + 1 : this.#length;
        if (found >= 0 || end >= most || this.#isClosed) return this.#take(Math.min(end, most));
        if (isLate || interruptions !== this.#interruptions) return NOTHING;
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

  async readSome(length: number): Promise<Uint8Array> {
    if (length <= 0) return NOTHING;
    while (this.#length === 0 && !this.#isClosed) await this.#more();
    this.#throwFailure();
    return this.#take(Math.min(length, this.#length));
  }

  async readBytes(length: number): Promise<Uint8Array> {
    return await this.readUntil(undefined, length);
  }

  async readAll(limit: number): Promise<Uint8Array> {
    while (!this.#isClosed && this.#length <= limit) await this.#more();
    this.#throwFailure();
    if (this.#length > limit) throw new Error(tooLarge(limit));
    return this.#take(this.#length);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  async #more(): Promise<void> {
    if (this.#refill) {
      if (this.#length > MAX_ENDLESS_BYTES) throw new Error(tooLarge(MAX_ENDLESS_BYTES));
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
    const [first] = this.#chunks;
    if (length === 0 || first === undefined) return NOTHING;
    if (first.length > length) {
      this.#chunks[0] = first.subarray(length);
      this.#length -= length;
      return first.subarray(0, length);
    }
    const taken = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) break;
      const piece = chunk.subarray(0, length - filled);
      taken.set(piece, filled);
      filled += piece.length;
      if (piece.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(piece.length);
    }
    this.#length -= length;
    return taken;
  }
}
