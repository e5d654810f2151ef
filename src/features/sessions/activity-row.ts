import type { SessionActivity } from "./store.ts";

/** Changes within this time are written together. */
const DELAY_MS = 1000;

/** How often a mere change of the idle time, reset by each call, is written, and a failed write retried. */
const IDLE_TIME_INTERVAL_MS = 15_000;

/** What the row of a session or lease initially says: a time that only the row knows. */
const UNUSED = { clients: 0, viewers: 0, handoffs: null, idleSince: undefined };

interface ActivityRowOptions {
  /** The current activity; undefined unless the session is active. */
  read: () => SessionActivity | undefined;
  write: (activity: SessionActivity) => Promise<void>;
  inBackground: (event: string, work: Promise<unknown>) => void;
}

/** Writes to an active session's row who uses it and whom it waits for, or since when it is idle. Lists show it. */
export class ActivityRow {
  readonly #options: ActivityRowOptions;
  /** Undefined when it is not known what the row says. */
  #written: SessionActivity | typeof UNUSED | undefined = UNUSED;
  #writtenAt = Date.now();
  #isWriting = false;
  #timer: number | null = null;
  #dueAt = 0;

  constructor(options: ActivityRowOptions) {
    this.#options = options;
  }

  /** Called after each change. */
  update(): void {
    const activity = this.#options.read();
    if (activity === undefined || this.#isWriting) return;
    const soon = Date.now() + DELAY_MS;
    if (!this.#hasCounts(activity)) this.#schedule(soon);
    else if (!this.#hasAll(activity)) {
      this.#schedule(Math.max(soon, this.#writtenAt + IDLE_TIME_INTERVAL_MS));
    }
  }

  /** Corrects the row after a restart, which has closed all connections. */
  restore(): void {
    this.#written = undefined;
    this.update();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #hasCounts(activity: SessionActivity): boolean {
    return this.#written !== undefined && describeCounts(this.#written) === describeCounts(activity);
  }

  #hasAll(activity: SessionActivity): boolean {
    return this.#hasCounts(activity) && this.#written?.idleSince === activity.idleSince;
  }

  #schedule(dueAt: number): void {
    if (this.#timer !== null && this.#dueAt <= dueAt) return;
    this.close();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#options.inBackground("activity_not_written", this.#write());
    }, dueAt - Date.now());
  }

  async #write(): Promise<void> {
    const { read, write } = this.#options;
    const activity = read();
    if (activity === undefined || this.#isWriting || this.#hasAll(activity)) return;
    this.#isWriting = true;
    this.#writtenAt = Date.now();
    try {
      await write(activity);
      this.#written = activity;
    } catch (error) {
      if (read() !== undefined) this.#schedule(Date.now() + IDLE_TIME_INTERVAL_MS);
      throw error;
    } finally {
      this.#isWriting = false;
    }
    this.update();
  }
}

function describeCounts({ clients, viewers, handoffs }: Omit<SessionActivity, "idleSince">): string {
  return JSON.stringify([clients, viewers, handoffs?.map(({ handoff_id }) => handoff_id)]);
}
