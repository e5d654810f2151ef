import { forEachLogged } from "../../lib/common/concurrency.ts";
import { closeBrowser } from "../browser/index.ts";
import { accountNames, accountOf, bindingOf } from "./accounts.ts";
import type { BrokerState } from "./state.ts";

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

  /** Asks the platform to close recorded browsers. The alarm retries until they are gone. */
  async close(browserIds: readonly string[]): Promise<void> {
    if (browserIds.length === 0) return;
    for (const browserId of browserIds) this.#state.records.mark(browserId, "closing");
    await this.#state.deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
    await this.#closeAll(browserIds);
    // Most browsers are gone by now.
    this.#state.inBackground("browsers_not_closed", this.retry());
  }

  /** Retries closing what the platform has not confirmed. */
  async retry(): Promise<void> {
    const { records, deadlines } = this.#state;
    await this.#closeAll(records.list("closing").map(({ browserId }) => browserId));
    if (records.list("closing").length === 0) await deadlines.clear("close");
    else await deadlines.set({ close: Date.now() + RETRY_DELAY_MS });
  }

  #closeAll(browserIds: readonly string[]): Promise<void> {
    const { env } = this.#state;
    const close = async (browserId: string) => {
      // The platform itself ends the browsers of an account that is no longer used.
      const isUsed = accountNames(env).includes(accountOf(browserId));
      if (isUsed && !(await closeBrowser(bindingOf(env, browserId), browserId))) return;
      this.forget(browserId);
    };
    return forEachLogged("browser_not_closed", browserIds, close);
  }

  /** Returns the slot of a browser that is gone. */
  forget(browserId: string): void {
    this.#state.records.remove(browserId);
    this.#onGone();
  }
}
