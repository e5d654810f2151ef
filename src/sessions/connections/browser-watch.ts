import type { Deadlines } from "../../alarms/deadlines.ts";
import { type LogFields, logError } from "../../common/log.ts";
import type { SessionBrowser } from "./browser.ts";

/** How soon a browser that did not answer is looked at again. */
const CHECK_AGAIN_MS = 2000;

interface BrowserWatchOptions {
  browser: SessionBrowser;
  /** Where the next look is noted down. */
  deadlines: Pick<Deadlines<"ping">, "set">;
  /** Whether there is a browser to be watched. */
  isActive: () => boolean;
  pingIntervalMs: () => number;
  /** The browser is lost for good. */
  onLost: () => Promise<void>;
  /** Keeps the object alive while a look is under way. */
  waitUntil: (work: Promise<unknown>) => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** Looks after the browser of a session that has started: keeps the platform from thinking it idle, and notices its end. */
export class BrowserWatch {
  readonly #options: BrowserWatchOptions;
  #disconnectedAt = 0;

  constructor(options: BrowserWatchOptions) {
    this.#options = options;
  }

  async ping(): Promise<void> {
    const { isActive, deadlines, pingIntervalMs } = this.#options;
    if (!isActive()) return;
    await deadlines.set({ ping: Date.now() + pingIntervalMs() });
    // Not awaited: while the alarm's handler waits for a silent browser no other deadline is served.
    this.checkSoon();
  }

  /** Ends the session when its browser is lost, and looks again soon at one that is silent. */
  async check(): Promise<void> {
    const { isActive, browser, onLost, deadlines } = this.#options;
    if (!isActive()) return;
    const state = await browser.check();
    if (!isActive()) return;
    if (state === "lost") await onLost();
    if (state === "silent") await deadlines.set({ ping: Date.now() + CHECK_AGAIN_MS });
  }

  /** Checks, and keeps nobody waiting. */
  checkSoon(): void {
    const { waitUntil, identify } = this.#options;
    waitUntil(this.check().catch((error) => logError("browser_check_failed", error, identify())));
  }

  /** A lost control connection may be a lost browser. One that is lost again and again is not asked in a circle. */
  hearDisconnect(): void {
    const { isActive, deadlines, waitUntil } = this.#options;
    const now = Date.now();
    const isRepeated = now - this.#disconnectedAt < CHECK_AGAIN_MS;
    this.#disconnectedAt = now;
    if (!isActive()) return;
    if (isRepeated) waitUntil(deadlines.set({ ping: now + CHECK_AGAIN_MS }));
    else this.checkSoon();
  }
}
