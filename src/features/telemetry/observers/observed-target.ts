import type { CDPSession, TargetInfo } from "../../../platform/browser/index.ts";
import type { Category, NewEvent } from "../event.ts";
import { redactURL } from "../redact.ts";

/** The session that observers report to. */
export interface ObservedSession {
  readonly isStealth: boolean;
  /** Whether bodies of requests and responses are recorded. */
  readonly wantsBodies: boolean;
  wants(category: Category, type: string): boolean;
  record(event: NewEvent): void;
  /** Reports that events of a category were not recorded. */
  recordDropped(category: Category, count: number): void;
  /** Counts bytes received over the network. */
  countReceived(bytes: number): void;
  /** Captures a page as a PNG in base64; undefined if it does not paint. */
  capture(targetId: string): Promise<string | undefined>;
}

/** Where in a target an event happened. Absent: its main frame. */
interface EventPlace {
  frameId?: string;
  loaderId?: string;
  url?: string;
}

/** A page, frame or worker whose events are observed. */
export class ObservedTarget {
  readonly session: CDPSession;
  readonly info: TargetInfo;
  /** Whether something else depends on the Runtime domain of this DevTools session. */
  readonly sharesRuntime: boolean;
  readonly #observed: ObservedSession;
  #navigations = 0;
  #loaderId: string | undefined;
  url: string;

  constructor(
    observed: ObservedSession,
    { session, info, sharesRuntime }: { session: CDPSession; info: TargetInfo; sharesRuntime: boolean },
  ) {
    this.#observed = observed;
    this.session = session;
    this.info = info;
    this.sharesRuntime = sharesRuntime;
    this.url = info.url;
  }

  get observed(): ObservedSession {
    return this.#observed;
  }

  wants(category: Category, type: string): boolean {
    return this.#observed.wants(category, type);
  }

  /** How often the main frame was navigated. */
  get navigations(): number {
    return this.#navigations;
  }

  /** A navigation of the main frame. */
  navigate(url: string, loaderId: string | undefined): void {
    this.#navigations += 1;
    this.url = url;
    this.#loaderId = loaderId;
  }

  /** Records an event with its context. */
  record(
    category: Category,
    type: string,
    {
      event,
      data = {},
      place = {},
      ts,
    }: { event: string; data?: Record<string, unknown>; place?: EventPlace; ts?: number },
  ): void {
    if (!this.wants(category, type)) return;
    const { targetId, type: targetType } = this.info;
    const context = {
      session_id: this.session.id(),
      target_id: targetId,
      target_type: targetType === "page" ? "page" : "other",
      frame_id: place.frameId ?? targetId,
      loader_id: place.loaderId ?? this.#loaderId,
      nav_seq: this.#navigations,
      url: redactURL(place.url ?? this.url),
    };
    const source = { kind: "cdp" as const, event };
    this.#observed.record({ category, type, ts, source, data: { ...context, ...data } });
  }

  /** Sends commands whose failure means that the target is gone or cannot be observed. */
  async trySend(...commands: Promise<unknown>[]): Promise<void> {
    await Promise.allSettled(commands);
  }
}

/** Observes one category of events of a target. */
export interface Watcher {
  readonly isWanted: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The target is gone. */
  close(): void;
}
