import type { BrowserLoss, SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

/** How soon a browser that did not answer is checked again. */
const RECHECK_MS = 2000;

/** Keeps the browser of a started session from looking idle to the platform, and notices when it is lost. */
export class BrowserWatch {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  readonly #onLost: (loss: BrowserLoss) => Promise<void>;
  #disconnectedAt = 0;

  constructor(scope: ConnectionScope, browser: SessionBrowser, onLost: (loss: BrowserLoss) => Promise<void>) {
    this.#scope = scope;
    this.#browser = browser;
    this.#onLost = onLost;
  }

  /** Also sets the deadlines of the work that is due at the same time. */
  async ping(): Promise<void> {
    const { deadlines, upkeep } = this.#scope.state;
    if (!this.#isStarted) return;
    await deadlines.set(upkeep);
    // No other deadline is served while the alarm's handler waits for a silent browser.
    this.checkSoon();
  }

  /** Ends the session when its browser is lost, and soon checks a silent one again. */
  async check(): Promise<void> {
    if (!this.#isStarted) return;
    const state = await this.#browser.check();
    if (!this.#isStarted) return;
    if (state === "lost") await this.#onLost(this.#browser.loss);
    if (state === "silent") await this.#recheckLater();
  }

  /** Checks in the background. */
  checkSoon(): void {
    this.#scope.state.inBackground("browser_check_failed", this.check());
  }

  /** Checks whether the browser is lost as well. A connection lost repeatedly is not checked in a loop. */
  handleDisconnect(): void {
    const now = Date.now();
    const isRepeated = now - this.#disconnectedAt < RECHECK_MS;
    this.#disconnectedAt = now;
    if (!this.#isStarted) return;
    if (isRepeated) this.#scope.state.inBackground("browser_check_failed", this.#recheckLater());
    else this.checkSoon();
  }

  #recheckLater(): Promise<void> {
    return this.#scope.state.deadlines.set({ recheck: Date.now() + RECHECK_MS });
  }

  get #isStarted(): boolean {
    const phase = this.#scope.record?.phase;
    return phase === "active" || phase === "idle";
  }
}
