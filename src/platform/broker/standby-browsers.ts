import { forEachLogged } from "../../lib/common/concurrency.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import { placedIn } from "../../lib/common/regions.ts";
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
import type { Launcher } from "./launcher.ts";
import { type Arrivals, addArrival, wantedStandby } from "./standby-policy.ts";
import type { BrokerState } from "./state.ts";

/** The organization of standby browsers. No organization has this id. */
const STANDBY = "standby";

/** A session prepares its browser first. In the local runtime, a launch would compete with it for CPU. */
const REFILL_DELAY_MS = 100;

const FIRST_LAUNCH_MS = 3000;

const MAX_PING_INTERVAL_MS = 40_000;

const ARRIVALS = "arrivals";
const LAUNCH_MS = "standby-launch-ms";

/**
 * Launched browsers that belong to no organization yet, so that a session need not wait for a launch. Each
 * region's broker keeps as many as the sessions of the region need; a fixed number is kept by the broker
 * without a region.
 */
export class StandbyBrowsers {
  readonly #state: BrokerState;
  readonly #launcher: Launcher;
  readonly #closer: BrowserCloser;
  /** Launches under way. */
  #launching = 0;
  /** Failed launches since the last successful one. */
  #failures = 0;

  constructor(state: BrokerState, launcher: Launcher, closer: BrowserCloser) {
    this.#state = state;
    this.#launcher = launcher;
    this.#closer = closer;
  }

  /** Counts a session that is created, and soon launches what is missing. */
  countArrival(): void {
    const { deadlines, kv } = this.#state;
    const now = Date.now();
    kv.put(ARRIVALS, addArrival(this.#arrivals, now));
    if (this.#failures > 0 || deadlines.get("fill") !== undefined) return;
    this.#state.inBackground("standby_refill_not_set", deadlines.set({ fill: now + REFILL_DELAY_MS }));
  }

  /** Closes those that are too many, and launches those that are missing. */
  async keep(): Promise<void> {
    await this.#closer.close(this.#ready.slice(this.#wanted));
    if (this.#failures === 0) this.fill();
  }

  /** Launches what is missing, in the background because launches wait in the queue. */
  fill(): void {
    for (let missing = this.#wanted - this.#ready.length - this.#launching; missing > 0; missing -= 1) {
      this.#launching += 1;
      const launching = this.#launch().finally(() => {
        this.#launching -= 1;
      });
      this.#state.inBackground("standby_fill_failed", launching);
    }
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
    await this.keep();
    if (this.#ready.length > 0) await this.#pingLater();
  }

  async #launch(): Promise<void> {
    const failuresBefore = this.#failures;
    const coming = { since: 0 };
    try {
      await this.#launchOne(coming);
      this.#failures = 0;
    } catch (error) {
      // Launches that fail together count once.
      this.#failures = failuresBefore + 1;
      logError("standby_launch_failed", error, { failures: this.#failures });
      const retryAfterMs = (toLaunchError(error).retryAfterSeconds ?? 0) * 1000;
      await this.#state.deadlines.set({ fill: Date.now() + launchDelay(this.#failures, retryAfterMs) });
    } finally {
      this.#launcher.coming.delete(coming);
      this.#launcher.dispatch();
    }
  }

  async #launchOne(coming: { since: number }): Promise<void> {
    const { env, region, records, kv } = this.#state;
    const owner = { id: newIdentifier(), organizationId: STANDBY, weight: 1, kind: "standby" as const };
    const { browserId } = await this.#launcher.launch({ ...owner, allowsStandby: false }, async (account) => {
      coming.since = Date.now();
      this.#launcher.coming.add(coming);
      // An object may have only six connections waiting for a response, so each launch is made in another.
      const launcher = env.BROWSER_BROKER.getByName(owner.id, placedIn(region));
      const result = await launcher.launchFor(account);
      if ("failure" in result) this.#launcher.coming.delete(coming);
      return result;
    });
    kv.put(LAUNCH_MS, (this.#launchMs + Date.now() - coming.since) / 2);
    // Most sessions have the default viewport. Sessions also size their windows, so a failure has no effect.
    await this.#connect(browserId, (connection) => sizeFirstWindow(connection, DEFAULT_VIEWPORT)).catch(
      (error) => logError("standby_browser_not_sized", error),
    );
    if (!records.mark(browserId, "ready")) return;
    const ready = this.#ready.length;
    logEvent("standby_browser_launched", { duration_ms: Date.now() - coming.since, ready });
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
    const { region, settings } = this.#state;
    const fixed = region === null ? settings.standby : { ...settings.standby, minimum: 0 };
    if (fixed.count !== "auto") return region === null ? fixed.count : 0;
    const { maxBrowsers } = this.#launcher;
    const now = Date.now();
    return wantedStandby(fixed, { arrivals: this.#arrivals, launchMs: this.#launchMs, maxBrowsers, now });
  }

  get #arrivals(): Arrivals {
    return this.#state.kv.get<Arrivals>(ARRIVALS) ?? { perMs: 0, at: 0 };
  }

  get #launchMs(): number {
    return this.#state.kv.get<number>(LAUNCH_MS) ?? FIRST_LAUNCH_MS;
  }
}
