const RETRY_DELAY_MS = 30_000;

const STORAGE_KEY = "deadlines";

/**
 * Serves several deadlines, at most one per kind, with a Durable Object's single alarm.
 *
 * @example
 * await new Deadlines<"ping" | "lifetime">(ctx.storage).set({ ping: Date.now() + 40_000 });
 */
export class Deadlines<Kind extends string> {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Adds or moves deadlines, in milliseconds since the epoch. */
  async set(times: Partial<Record<Kind, number>>): Promise<void> {
    this.#write({ ...this.#read(), ...times });
    await this.#arm();
  }

  /** When a deadline is, in milliseconds since the epoch. */
  get(kind: Kind): number | undefined {
    return this.#read()[kind];
  }

  async clear(kind: Kind): Promise<void> {
    const times = this.#read();
    delete times[kind];
    await this.replace(times);
  }

  async replace(times: Partial<Record<Kind, number>>): Promise<void> {
    this.#write(times);
    await this.#arm();
  }

  /**
   * Runs `work` concurrently for the due deadlines and removes those that `work` has not moved. The next
   * alarm is set first, so that the object wakes up even after a crash.
   */
  async run(
    work: (kind: Kind) => Promise<void>,
    onFailure: (kind: Kind, error: unknown) => void,
  ): Promise<void> {
    const now = Date.now();
    await this.#storage.setAlarm(now + RETRY_DELAY_MS);
    await Promise.all(
      this.#due(now).map(async ([kind, at]) => {
        try {
          await work(kind);
          this.#remove(kind, at);
        } catch (error) {
          onFailure(kind, error);
          this.#move(kind, Date.now() + RETRY_DELAY_MS);
        }
      }),
    );
    await this.#arm();
  }

  #due(now: number): [Kind, number][] {
    return this.#entries()
      .filter(([, at]) => at <= now)
      .sort(([, first], [, second]) => first - second);
  }

  #move(kind: Kind, at: number): void {
    const times = this.#read();
    times[kind] = at;
    this.#write(times);
  }

  #remove(kind: Kind, at: number): void {
    const times = this.#read();
    if (times[kind] !== at) return;
    delete times[kind];
    this.#write(times);
  }

  async #arm(): Promise<void> {
    const times = this.#entries().map(([, at]) => at);
    if (times.length === 0) await this.#storage.deleteAlarm();
    else await this.#storage.setAlarm(Math.min(...times));
  }

  #entries(): [Kind, number][] {
    return Object.entries(this.#read()) as [Kind, number][];
  }

  #read(): Partial<Record<Kind, number>> {
    return this.#storage.kv.get<Partial<Record<Kind, number>>>(STORAGE_KEY) ?? {};
  }

  #write(times: Partial<Record<Kind, number>>): void {
    this.#storage.kv.put(STORAGE_KEY, times);
  }
}
