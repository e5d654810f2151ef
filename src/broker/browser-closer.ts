import { closeBrowser, isBrowserGone } from "../browser/index.ts";
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

  /** Asks the platform to close recorded browsers. The alarm retries what fails. */
  async close(browserIds: readonly string[]): Promise<void> {
    const { records, deadlines } = this.#state;
    if (browserIds.length === 0) return;
    for (const browserId of browserIds) records.markClosing(browserId);
    await deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
    await this.#forEach(browserIds, (browserId) => this.#close(browserId));
    this.#state.inBackground("browsers_not_confirmed_gone", this.#confirm(browserIds));
  }

  /** Closes again what the platform has not confirmed. */
  async retry(): Promise<void> {
    const closing = this.#closing;
    await this.#forEach(closing, (browserId) => this.#close(browserId));
    if (this.#closing.length > 0) await this.#state.deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
  }

  /** A closing browser is mostly gone by the time that it is asked. */
  async #confirm(browserIds: readonly string[]): Promise<void> {
    await this.#forEach(browserIds, async (browserId) => {
      if (await isBrowserGone(bindingOf(this.#state.env, browserId), browserId)) this.#forget(browserId);
    });
    if (this.#closing.length === 0) await this.#state.deadlines.clear("close");
  }

  async #close(browserId: string): Promise<void> {
    const isGone = await closeBrowser(bindingOf(this.#state.env, browserId), browserId);
    if (isGone) this.#forget(browserId);
  }

  #forget(browserId: string): void {
    this.#state.records.remove(browserId);
    this.#onGone();
  }

  #forEach(browserIds: readonly string[], work: (browserId: string) => Promise<void>): Promise<void> {
    return forEachConcurrently(browserIds, CONCURRENCY, work, (error) =>
      logError("browser_not_closed", error),
    );
  }

  get #closing(): string[] {
    return this.#state.records.list("closing").map(({ browserId }) => browserId);
  }
}
