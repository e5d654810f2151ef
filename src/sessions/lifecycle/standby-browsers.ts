import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../../alarms/deadlines.ts";
import {
  acquireBrowser,
  BrowserUnavailableError,
  closeBrowser,
  DEFAULT_VIEWPORT,
  openControlConnection,
  sizeFirstWindow,
} from "../../browser/index.ts";
import { forEachConcurrently } from "../../common/concurrency.ts";
import { logError, logEvent } from "../../common/log.ts";
import { readSettings, type Settings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import { pingInterval } from "../state.ts";
import { launchDelay } from "./launch-delay.ts";
import {
  forgetLaunchedBrowser,
  listStandbyBrowsers,
  recordLaunchedBrowser,
  STANDBY_OWNER,
} from "./launched-browsers.ts";

/** How long a browser that was handed out may still be recorded as a standby browser. */
const HAND_OVER_MS = 120_000;

/** The session prepares its browser first. Under the local runtime a launch would compete with it for the processors. */
const REFILL_DELAY_MS = 1000;

const CONCURRENCY = 6;

const READY_KEY = "ready";
const HANDED_OUT_KEY = "handed-out";

interface TakenBrowser {
  browserId: string;
  at: number;
}

/**
 * Launched browsers that belong to no organization yet, so that a session need not wait for a launch. One object of the
 * service keeps as many as STANDBY_BROWSERS says.
 */
export class StandbyBrowsers extends DurableObject<Env> {
  readonly #deadlines: Deadlines<"fill" | "ping">;
  #filling: Promise<void> | undefined;
  /** Failed launches since the last successful one. */
  #failures = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deadlines = new Deadlines(ctx.storage);
  }

  /** Hands out the oldest browser, which belongs to the caller from now on. @returns undefined if there is none. */
  take(): string | undefined {
    const [browserId, ...rest] = this.#ready;
    if (browserId !== undefined) {
      const now = Date.now();
      const recent = this.#handedOut.filter(({ at }) => at > now - HAND_OVER_MS);
      this.ctx.storage.kv.put(HANDED_OUT_KEY, [...recent, { browserId, at: now }]);
      this.#writeReady(rest);
    }
    // After a failure the next launch waits for its delay.
    if (this.#failures === 0) this.ctx.waitUntil(this.#deadlines.set({ fill: Date.now() + REFILL_DELAY_MS }));
    return browserId;
  }

  /** Applies the setting, and closes browsers that a crash left. Called by the sweep. */
  async keep(): Promise<void> {
    const excess = this.#ready.slice(this.#wanted);
    this.#writeReady(this.#ready.slice(0, this.#wanted));
    await this.#closeAll([...excess, ...(await this.#findOrphaned())]);
    if (this.#failures === 0) await this.#fill();
  }

  override async alarm(): Promise<void> {
    await this.#deadlines.run(
      (kind) => (kind === "fill" ? this.#fill() : this.#ping()),
      (kind, error) => logError("standby_deadline_failed", error, { deadline: kind }),
    );
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#launchMissing().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #launchMissing(): Promise<void> {
    while (this.#ready.length < this.#wanted) {
      try {
        await this.#launch();
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        logError("standby_launch_failed", error, { failures: this.#failures });
        const retryAfterMs = error instanceof BrowserUnavailableError ? error.retryAfterSeconds * 1000 : 0;
        await this.#deadlines.set({ fill: Date.now() + launchDelay(this.#failures, retryAfterMs) });
        return;
      }
    }
  }

  async #launch(): Promise<void> {
    const launchedAt = Date.now();
    const browserId = await acquireBrowser(this.env.BROWSER, this.#settings.browserKeepAliveMs);
    try {
      await sizeWindow(this.env.BROWSER, browserId);
      await recordLaunchedBrowser(this.#database, { browserId, sessionId: STANDBY_OWNER, launchedAt });
    } catch (error) {
      await closeBrowser(this.env.BROWSER, browserId);
      throw error;
    }
    this.#writeReady([...this.#ready, browserId]);
    logEvent("standby_browser_launched", { duration_ms: Date.now() - launchedAt, ready: this.#ready.length });
    await this.#deadlines.set({ ping: Date.now() + this.#pingIntervalMs });
  }

  /** Keeps the browsers from seeming idle to the platform, and closes those that do not answer. */
  async #ping(): Promise<void> {
    const silent: string[] = [];
    await forEachConcurrently(
      this.#ready,
      CONCURRENCY,
      async (browserId) => {
        const isAlive = await answers(this.env.BROWSER, browserId);
        if (!isAlive) silent.push(browserId);
      },
      (error) => logError("standby_ping_failed", error),
    );
    const lost = silent.filter((browserId) => this.#ready.includes(browserId));
    this.#writeReady(this.#ready.filter((browserId) => !lost.includes(browserId)));
    if (lost.length > 0) logEvent("standby_browsers_lost", { lost: lost.length });
    if (this.#ready.length > 0) await this.#deadlines.set({ ping: Date.now() + this.#pingIntervalMs });
    await this.#closeAll(lost);
    await this.#fill();
  }

  /** Browsers that are recorded as standby browsers but unknown to this object. */
  async #findOrphaned(): Promise<string[]> {
    const noted = await listStandbyBrowsers(this.#database, Date.now() - HAND_OVER_MS);
    const known = new Set([...this.#ready, ...this.#handedOut.map(({ browserId }) => browserId)]);
    return noted.filter((browserId) => !known.has(browserId));
  }

  /** The next sweep retries what fails. */
  #closeAll(browserIds: readonly string[]): Promise<void> {
    return forEachConcurrently(
      browserIds,
      CONCURRENCY,
      async (browserId) => {
        await closeBrowser(this.env.BROWSER, browserId);
        await forgetLaunchedBrowser(this.#database, browserId);
      },
      (error) => logError("standby_browser_not_closed", error),
    );
  }

  /** Ids of the standby browsers, oldest first. */
  get #ready(): readonly string[] {
    return this.ctx.storage.kv.get<string[]>(READY_KEY) ?? [];
  }

  #writeReady(browserIds: readonly string[]): void {
    this.ctx.storage.kv.put(READY_KEY, browserIds);
  }

  get #handedOut(): readonly TakenBrowser[] {
    return this.ctx.storage.kv.get<TakenBrowser[]>(HANDED_OUT_KEY) ?? [];
  }

  get #wanted(): number {
    return this.#settings.standbyBrowsers;
  }

  get #pingIntervalMs(): number {
    return pingInterval(this.#settings.browserKeepAliveMs);
  }

  get #settings(): Settings {
    return readSettings(this.env);
  }

  get #database(): Database {
    return openDatabase(this.env.DB);
  }
}

/** Most sessions have the default viewport. A session sizes its windows itself, too, so a failure changes nothing. */
async function sizeWindow(binding: BrowserRun, browserId: string): Promise<void> {
  try {
    const connection = await openControlConnection(binding, browserId);
    try {
      await sizeFirstWindow(connection, DEFAULT_VIEWPORT);
    } finally {
      connection.dispose();
    }
  } catch (error) {
    logError("standby_browser_not_sized", error);
  }
}

async function answers(binding: BrowserRun, browserId: string): Promise<boolean> {
  try {
    const connection = await openControlConnection(binding, browserId);
    try {
      await connection.send("Browser.getVersion");
      return true;
    } finally {
      connection.dispose();
    }
  } catch {
    return false;
  }
}
