import { pause } from "../../common/concurrency.ts";
import type { LoggedLine } from "../event-journal.ts";

/** How long a line may be on its way before it is written. */
const BATCH_INTERVAL_MS = 100;

/** So many lines are written whatever the time. */
const MAX_BATCH_LINES = 250;

interface RunLogOptions {
  write: (lines: LoggedLine[]) => void;
  /** Tells the deployment. Never rejects. */
  forward: (lines: LoggedLine[]) => Promise<void>;
}

/** The lines of a run on their way to where they are kept, some at a time: code may log thousands at once. */
export class RunLog {
  readonly #options: RunLogOptions;
  #lines: LoggedLine[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The lines that were forwarded last, on their way. */
  #forwarding: Promise<void> = Promise.resolve();

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  /** @returns a promise to wait for with the next line, where many come at once. */
  add(text: string): Promise<void> | undefined {
    this.#lines.push({ at: Date.now(), text });
    this.#timer ??= setTimeout(() => this.flush(), BATCH_INTERVAL_MS);
    return this.#lines.length < MAX_BATCH_LINES ? undefined : this.#hurry();
  }

  /** Writes what has come. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#options.write(lines);
    this.#forwarding = this.#forwarding.then(() => this.#options.forward(lines));
  }

  /** The deployment is not told faster than it listens, and those who follow the run get to read. */
  async #hurry(): Promise<void> {
    const before = this.#forwarding;
    this.flush();
    await before;
    await pause(0);
  }
}
