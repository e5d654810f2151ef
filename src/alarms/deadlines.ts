/** Time after which work that did not finish is tried again. */
const RETRY_MS = 30_000;

const STORAGE_KEY = "deadlines";

/**
 * The deadlines of one Durable Object, kept as a table in its storage and served by its single alarm.
 *
 * `Kind` names what a deadline is for; there is at most one of each. Nothing is written before the first one
 * is set, so that an object which was only asked leaves nothing behind.
 */
export class Deadlines<Kind extends string> {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Sets or moves deadlines, in milliseconds since the epoch. */
  async set(times: Partial<Record<Kind, number>>): Promise<void> {
    this.#write({ ...this.#read(), ...times });
    await this.#arm();
  }

  /** Puts these deadlines in the place of all there were. */
  async replace(times: Partial<Record<Kind, number>>): Promise<void> {
    this.#write(times);
    await this.#arm();
  }

  /**
   * The body of the object's alarm handler: runs `work` for all deadlines that are due, side by side, so that a
   * slow one holds up no other. Each is removed unless its work moved it. The next alarm is set before any of it,
   * and work that fails is tried again later: whatever happens, the object wakes up again.
   */
  async run(
    work: (kind: Kind) => Promise<void>,
    onFailure: (kind: Kind, error: unknown) => void,
  ): Promise<void> {
    const now = Date.now();
    await this.#storage.setAlarm(now + RETRY_MS);
    await Promise.all(
      this.#due(now).map(async ([kind, at]) => {
        try {
          await work(kind);
          this.#remove(kind, at);
        } catch (error) {
          onFailure(kind, error);
          this.#move(kind, Date.now() + RETRY_MS);
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
