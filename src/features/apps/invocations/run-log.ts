import { pause } from "../../../lib/common/concurrency.ts";
import { logError } from "../../../lib/common/log.ts";
import { deploymentObject } from "../deployments/stub.ts";
import type { LoggedLine } from "../event-journal.ts";
import type { InvocationState } from "./state.ts";

const BATCH_INTERVAL_MS = 100;

const MAX_BATCH_LINES = 250;

/** Writes the lines of a run to its journal and its deployment's, in batches. */
export class RunLog {
  readonly #context: InvocationState;
  #lines: LoggedLine[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #forwarding: Promise<void> = Promise.resolve();

  constructor(context: InvocationState) {
    this.#context = context;
  }

  /** @returns when many lines come at once, a promise to wait for before the next one. */
  add(text: string): Promise<void> | undefined {
    this.#lines.push({ at: Date.now(), text });
    this.#timer ??= setTimeout(() => this.flush(), BATCH_INTERVAL_MS);
    return this.#lines.length < MAX_BATCH_LINES ? undefined : this.#flushSlowly();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#context.journal.log(lines);
    this.#forwarding = this.#forwarding.then(() => this.#forward(lines));
  }

  /** Waits for the deployment to take earlier lines, and lets readers of the journal run. */
  async #flushSlowly(): Promise<void> {
    const before = this.#forwarding;
    this.flush();
    await before;
    await pause(0);
  }

  async #forward(lines: LoggedLine[]): Promise<void> {
    const { env, record, identity } = this.#context;
    if (record === undefined) return;
    try {
      await deploymentObject(env, record.row.deploymentId).log(lines);
    } catch (error) {
      logError("invocation_log_lines_lost", error, identity);
    }
  }
}
