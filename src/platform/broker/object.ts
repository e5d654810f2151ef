import { DurableObject } from "cloudflare:workers";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError } from "../../lib/common/log.ts";
import { type Outcome, settle } from "../../lib/common/outcome.ts";
import type { Region } from "../../lib/common/regions.ts";
import { BrowserCloser } from "./browser-closer.ts";
import type { BrowserRecord } from "./browser-records.ts";
import { sessionLimitReached } from "./launch-error.ts";
import { type LaunchInAccount, type LaunchResult, launchInAccount } from "./launch-in-account.ts";
import { type AcquiredBrowser, Launcher, type LaunchFor } from "./launcher.ts";
import { reconcile } from "./reconcile.ts";
import { StandbyBrowsers } from "./standby-browsers.ts";
import { type BrokerDeadline, BrokerState } from "./state.ts";

/** The sweep reconciles every minute. The alarm does it for brokers that the sweep does not know. */
const RECONCILE_AFTER_MS = 150_000;

export interface LaunchRequest extends Omit<LaunchFor, "id"> {
  sessionId: string;
  /** Null: the broker without a region. */
  region: Region | null;
  /** The organization's limit on sessions outside pools; absent: the caller has checked it. */
  maxSessions?: number;
}

/**
 * Decides when and in which account the browsers of a region's sessions are launched, and closes them. It
 * shares the launches that the platform allows fairly between organizations, keeps standby browsers, and
 * remembers whose browser each one is.
 */
export class BrowserBroker extends DurableObject<Env> {
  readonly #state: BrokerState;
  readonly #launcher: Launcher;
  readonly #closer: BrowserCloser;
  readonly #standby: StandbyBrowsers;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = new BrokerState(ctx, env);
    this.#closer = new BrowserCloser(this.#state, () => this.#launcher.dispatch());
    this.#launcher = new Launcher(this.#state, this.#closer);
    this.#standby = new StandbyBrowsers(this.#state, this.#launcher, this.#closer);
  }

  /**
   * Gets a browser for a session, which owns it from then on. A repeated call returns the same browser.
   *
   * @param launchIn launches it in the session's object once it is its turn.
   * @returns the browser; 429 when the organization has reached `maxSessions`, 503 with the seconds to wait
   * when no browser can be launched in time, or when the launch fails.
   */
  acquire(
    { sessionId, region, maxSessions, ...request }: LaunchRequest,
    launchIn: LaunchInAccount,
  ): Promise<Outcome<AcquiredBrowser>> {
    return settle(async () => {
      const { records, deadlines } = this.#state;
      this.#state.rememberRegion(region);
      if (deadlines.get("reconcile") === undefined) {
        await deadlines.set({ reconcile: Date.now() + RECONCILE_AFTER_MS });
      }
      const used = records.list("used");
      const owned = used.find((record) => record.sessionId === sessionId);
      if (owned !== undefined) return { browserId: owned.browserId, isStandby: false, standbyMs: 0 };
      if (maxSessions !== undefined && this.hasReachedLimit(request.organizationId, maxSessions, sessionId))
        throw sessionLimitReached();
      if (request.allowsStandby) this.#standby.countArrival();
      return this.#launcher.launch({ ...request, id: sessionId }, launchIn);
    });
  }

  /** Whether browsers and launches outside of pools reach the limit. @param exceptId session not counted. */
  hasReachedLimit(organizationId: string, maxSessions: number, exceptId?: string): boolean {
    const launches = [...this.#launcher.launches].filter(({ id }) => id !== exceptId);
    const sessions = [...this.#state.records.list("used"), ...launches].filter(
      (each) => each.kind === "session" && each.organizationId === organizationId,
    );
    return sessions.length >= maxSessions;
  }

  /** Gives up a session's launch if it has not begun. */
  leaveQueue(sessionId: string): void {
    this.#launcher.leaveQueue(sessionId);
  }

  /** A session that has ended no longer counts, even before its browser is released. */
  endSession(sessionId: string): void {
    this.#state.records.endSession(sessionId, Date.now());
  }

  /**
   * Closes a session's browser, and gives up its launch. The broker retries what fails, so the caller need
   * not.
   *
   * @param browserId a browser that the session has heard of and the broker may not have recorded.
   */
  async release(sessionId: string, browserId?: string): Promise<void> {
    const { records } = this.#state;
    this.#launcher.abandon(sessionId);
    if (browserId !== undefined) {
      const owner = { sessionId, organizationId: "", kind: "session" as const };
      records.add({ ...owner, browserId, state: "used", launchedAt: Date.now() });
    }
    const owned = records.list("used", "ending").filter((record) => record.sessionId === sessionId);
    await this.#closer.close(owned.map((record) => record.browserId));
  }

  /** Launches a browser for another broker, which may have too many connections. */
  launchFor(account: string): Promise<LaunchResult> {
    return launchInAccount(this.env, account);
  }

  /** Closes a browser that was launched in vain. */
  async discard(browserId: string): Promise<void> {
    const owner = { sessionId: newIdentifier(), organizationId: "", kind: "session" as const };
    this.#state.records.add({ ...owner, browserId, state: "used", launchedAt: Date.now() });
    await this.#closer.close([browserId]);
  }

  /** Repairs what crashes left behind, and maintains the number of standby browsers. Called by the sweep. */
  async reconcile(region: Region | null, now: number): Promise<void> {
    this.#state.rememberRegion(region);
    try {
      await this.#reconcile(now);
    } finally {
      await this.#standby.keep();
    }
  }

  /** Launches that wait for a free browser. */
  countWaiting(): number {
    return this.#launcher.waiting;
  }

  listBrowsers(): BrowserRecord[] {
    return this.#state.records.list();
  }

  override async alarm(): Promise<void> {
    const work: Record<BrokerDeadline, () => Promise<void>> = {
      fill: async () => this.#standby.fill(),
      ping: () => this.#standby.ping(),
      close: () => this.#closer.retry(),
      reconcile: () => this.#reconcile(Date.now()),
    };
    await this.#state.deadlines.run(
      (kind) => work[kind](),
      (kind, error) => logError("broker_deadline_failed", error, { deadline: kind }),
    );
  }

  async #reconcile(now: number): Promise<void> {
    const { records, deadlines } = this.#state;
    await this.#closer.retry();
    await reconcile(this.#state, this.#closer, now);
    if (records.list().length > 0) await deadlines.set({ reconcile: Date.now() + RECONCILE_AFTER_MS });
    else await deadlines.clear("reconcile");
  }
}
