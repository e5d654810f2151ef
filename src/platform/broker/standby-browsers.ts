import { forEachLogged } from "../../lib/common/concurrency.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import {
  type Connection,
  DEFAULT_VIEWPORT,
  openControlConnection,
  sizeFirstWindow,
} from "../browser/index.ts";
import { bindingOf } from "./accounts.ts";
import type { BrowserCloser } from "./browser-closer.ts";
import { launchDelay } from "./launch-delay.ts";
import { toLaunchError } from "./launch-error.ts";
import { launchInAccount } from "./launch-in-account.ts";
import type { Launcher } from "./launcher.ts";
import type { BrokerState } from "./state.ts";

/** The organization of standby browsers. No organization has this id. */
const STANDBY = "standby";

/** The session prepares its browser first. In the local runtime, a launch would compete with it for CPU. */
const REFILL_DELAY_MS = 1000;

const MAX_PING_INTERVAL_MS = 40_000;

/**
 * Launched browsers that belong to no organization yet, so that a session need not wait for a launch. The
 * broker without a region keeps as many as STANDBY_BROWSERS says.
 */
export class StandbyBrowsers {
  readonly #state: BrokerState;
  readonly #launcher: Launcher;
  readonly #closer: BrowserCloser;
  #isFilling = false;
  /** Failed launches since the last successful one. */
  #failures = 0;

  constructor(state: BrokerState, launcher: Launcher, closer: BrowserCloser) {
    this.#state = state;
    this.#launcher = launcher;
    this.#closer = closer;
  }

  /** Replaces one that was taken. After a failure the next launch waits for its delay. */
  refillSoon(): void {
    if (this.#failures > 0) return;
    const refill = this.#state.deadlines.set({ fill: Date.now() + REFILL_DELAY_MS });
    this.#state.inBackground("standby_refill_not_set", refill);
  }

  /** Applies the setting. */
  async keep(): Promise<void> {
    await this.#closer.close(this.#ready.slice(this.#wanted));
    if (this.#failures === 0) this.fill();
  }

  /** Launches what is missing, in the background because launches wait in the queue. */
  fill(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const filling = this.#launchMissing().finally(() => {
      this.#isFilling = false;
    });
    this.#state.inBackground("standby_fill_failed", filling);
  }

  /** Keeps the browsers from looking idle to the platform, and closes those that do not respond. */
  async ping(): Promise<void> {
    const silent: string[] = [];
    const ping = (browserId: string) =>
      this.#connect(browserId, (connection) => connection.send("Browser.getVersion")).catch(() =>
        silent.push(browserId),
      );
    await forEachLogged("standby_ping_failed", this.#ready, ping);
    const lost = silent.filter((browserId) => this.#ready.includes(browserId));
    if (lost.length > 0) logEvent("standby_browsers_lost", { lost: lost.length });
    await this.#closer.close(lost);
    if (this.#ready.length > 0) await this.#pingLater();
    this.fill();
  }

  async #launchMissing(): Promise<void> {
    while (this.#ready.length < this.#wanted) {
      try {
        await this.#launch();
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        logError("standby_launch_failed", error, { failures: this.#failures });
        const retryAfterMs = (toLaunchError(error).retryAfterSeconds ?? 0) * 1000;
        await this.#state.deadlines.set({ fill: Date.now() + launchDelay(this.#failures, retryAfterMs) });
        return;
      }
    }
  }

  async #launch(): Promise<void> {
    const launchedAt = Date.now();
    const owner = { id: newIdentifier(), organizationId: STANDBY, weight: 1, kind: "standby" as const };
    const { browserId } = await this.#launcher.launch({ ...owner, allowsStandby: false }, (account) =>
      launchInAccount(this.#state.env, account),
    );
    // Most sessions have the default viewport. A session also sizes its windows itself, so a failure has no
    // effect.
    await this.#connect(browserId, (connection) => sizeFirstWindow(connection, DEFAULT_VIEWPORT)).catch(
      (error) => logError("standby_browser_not_sized", error),
    );
    if (!this.#state.records.mark(browserId, "ready")) return;
    const ready = this.#ready.length;
    // A caller may have been waiting for it.
    this.#launcher.dispatch();
    logEvent("standby_browser_launched", { duration_ms: Date.now() - launchedAt, ready });
    await this.#pingLater();
  }

  async #connect(browserId: string, work: (connection: Connection) => Promise<unknown>): Promise<void> {
    const connection = await openControlConnection(bindingOf(this.#state.env, browserId), browserId);
    try {
      await work(connection);
    } finally {
      connection.dispose();
    }
  }

  #pingLater(): Promise<void> {
    const intervalMs = Math.min(MAX_PING_INTERVAL_MS, this.#state.settings.browserKeepAliveMs / 3);
    return this.#state.deadlines.set({ ping: Date.now() + intervalMs });
  }

  /** Ids of the ready browsers, oldest first. */
  get #ready(): string[] {
    return this.#state.records.list("ready").map(({ browserId }) => browserId);
  }

  get #wanted(): number {
    return this.#state.region === null ? this.#state.settings.standbyBrowsers : 0;
  }
}
