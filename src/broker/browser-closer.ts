import { closeBrowser } from "../browser/index.ts";
import { forEachConcurrently } from "../common/concurrency.ts";
import { logError } from "../common/log.ts";
import { bindingOf } from "./accounts.ts";
import type { BrokerState } from "./state.ts";

const CONCURRENCY = 6;

/** Closing takes a moment. */
const RETRY_DELAY_MS = 2000;

/** Closes browsers. Their slots stay in use until the platform says that they are gone. */
export class BrowserCloser {
  readonly #state: BrokerState;
  readonly #onGone: () => void;

  constructor(state: BrokerState, onGone: () => void) {
    this.#state = state;
    this.#onGone = onGone;
  }

  /** Asks the platform to close recorded browsers. The alarm goes on until they are gone. */
  async close(browserIds: readonly string[]): Promise<void> {
    if (browserIds.length === 0) return;
    for (const browserId of browserIds) this.#state.records.markClosing(browserId);
    await this.#state.deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
    await this.#closeAll(browserIds);
    // Most browsers are gone by now.
    this.#state.inBackground("browsers_not_closed", this.retry());
  }

  /** Closes again what the platform has not confirmed. */
  async retry(): Promise<void> {
    await this.#closeAll(this.#closing);
    if (this.#closing.length === 0) await this.#state.deadlines.clear("close");
    else await this.#state.deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
  }

  #closeAll(browserIds: readonly string[]): Promise<void> {
    return forEachConcurrently(
      browserIds,
      CONCURRENCY,
      (browserId) => this.#close(browserId),
      (error) => logError("browser_not_closed", error),
    );
  }

  async #close(browserId: string): Promise<void> {
    const isGone = await closeBrowser(bindingOf(this.#state.env, browserId), browserId);
    if (!isGone) return;
    this.#state.records.remove(browserId);
    this.#onGone();
  }

  get #closing(): string[] {
    return this.#state.records.list("closing").map(({ browserId }) => browserId);
  }
}
