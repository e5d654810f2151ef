import { sharing } from "../../../lib/common/concurrency.ts";
import { logError } from "../../../lib/common/log.ts";
import { bindingOf } from "../../../platform/broker/index.ts";
import { isBrowserGone, mayOpen, RemoteBrowser, readCloseReason } from "../../../platform/browser/index.ts";
import { BrowserObserver, type ObservedSession } from "../../telemetry/index.ts";
import { recordSessionUsage } from "../../usage/index.ts";
import { readProxy } from "../read-references.ts";
import { SessionExtensions } from "./extensions.ts";
import type { ConnectionScope } from "./scope.ts";

/** How long a browser may fail to respond before it counts as lost though the platform still lists it. */
const MAX_SILENCE_MS = 5 * 60_000;

/** Of screenshots in the telemetry. */
const SCREENSHOT_FORMAT = { format: "png", maxWidth: 960, maxHeight: 960 } as const;

const MAX_FAILURE_LENGTH = 500;

/** Bytes that are not written yet are lost with the object. */
const PROXIED_BYTES_PER_WRITE = 8 * 1024 * 1024;

/** A `silent` browser may be alive or lost. */
export type BrowserHealth = "alive" | "silent" | "lost";

/** Why a browser is lost. */
export interface BrowserLoss {
  /** What the last command failed with. */
  failure?: string;
  /** Why the platform closed it, in its own words. */
  closeReason?: string;
}

interface BrowserListener {
  /** Called when a page has opened an address. */
  onVisit: () => void;
  /** Called with a target that clients must no longer control. */
  onForbidden: (targetId: string) => void;
  /** Called when the connection is lost. The browser may still be there. */
  onDisconnected: () => void;
}

/** A session's own connection to its browser. It is opened on demand, and reopened when it is lost. */
export class SessionBrowser {
  readonly #scope: ConnectionScope;
  readonly #extensions: SessionExtensions;
  readonly #listener: BrowserListener;
  readonly #observer: BrowserObserver;
  #browser: RemoteBrowser | undefined;
  readonly #connect = sharing(() => this.#open());
  #silentSince: number | undefined;
  #loss: BrowserLoss = {};
  #disconnectedAt: number | undefined;
  /** Received through the session's proxy, and not written yet. */
  #proxiedBytes = 0;
  /** Since when the platform says that it is gone. */
  #goneSince: number | undefined;

  constructor(scope: ConnectionScope, listener: BrowserListener) {
    this.#scope = scope;
    this.#extensions = new SessionExtensions(scope.state);
    this.#listener = listener;
    this.#observer = new BrowserObserver(this.#observed());
  }

  /** The connected browser; undefined while there is no connection. */
  get connected(): RemoteBrowser | undefined {
    return this.#browser;
  }

  /** Whether clients may open the URL. Without a connection, extensions are unknown. */
  mayOpen(url: string): boolean {
    return this.#browser?.mayOpen(url) ?? mayOpen(url);
  }

  /** What the last failed check found. */
  get loss(): BrowserLoss {
    return this.#loss;
  }

  /** @throws when the session has ended, or its browser does not answer. */
  connect(): Promise<RemoteBrowser> {
    return this.#browser === undefined ? this.#connect() : Promise.resolve(this.#browser);
  }

  /**
   * Sends the browser a command, and asks the platform if it does not respond. A browser counts as lost only
   * after the platform has not known it for a while, because a lost connection or a busy platform does not
   * mean a lost browser. Concurrent calls share one check.
   */
  readonly check = sharing(() => this.#check());

  /** Applies a changed configuration of the session's telemetry. */
  async reconfigureTelemetry(): Promise<void> {
    await this.#browser?.observeChildren();
    await this.#observer.reconfigure();
  }

  /** Closes the connection. The browser keeps running. */
  disconnect(): void {
    this.#browser?.disconnect();
    this.#browser = undefined;
    this.#writeProxiedBytes();
  }

  #countReceived(bytes: number): void {
    if ((this.#scope.living?.proxyId ?? null) === null) return;
    this.#proxiedBytes += bytes;
    if (this.#proxiedBytes >= PROXIED_BYTES_PER_WRITE) this.#writeProxiedBytes();
  }

  #writeProxiedBytes(): void {
    const { state } = this.#scope;
    const proxiedBytes = this.#proxiedBytes;
    const { id } = state.record ?? {};
    if (proxiedBytes === 0 || id === undefined) return;
    this.#proxiedBytes = 0;
    state.inBackground("use_not_counted", recordSessionUsage(state.env, id, { proxiedBytes }));
  }

  async #check(): Promise<BrowserHealth> {
    try {
      const browser = await this.connect();
      await browser.ping();
      this.#silentSince = undefined;
      this.#goneSince = undefined;
      return "alive";
    } catch (error) {
      this.disconnect();
      const failure = error instanceof Error ? error.message.slice(0, MAX_FAILURE_LENGTH) : undefined;
      const { settings, identity } = this.#scope.state;
      const isGone = await this.#isGone();
      const now = Date.now();
      this.#silentSince ??= now;
      this.#goneSince = isGone ? (this.#goneSince ?? now) : undefined;
      const isLost =
        now - this.#silentSince >= MAX_SILENCE_MS ||
        (this.#goneSince !== undefined && now - this.#goneSince >= settings.browserListLagMs);
      logError("session_browser_silent", error, { ...identity, lost: isLost });
      this.#loss = { failure, closeReason: isLost ? await this.#readCloseReason() : undefined };
      return isLost ? "lost" : "silent";
    }
  }

  async #open(): Promise<RemoteBrowser> {
    const scope = this.#scope;
    const record = scope.living;
    if (record?.browserId === undefined) throw new Error("The session has no browser");
    const { browserId } = record;
    const browser = await RemoteBrowser.connect(bindingOf(scope.state.env, browserId), browserId, {
      viewport: record.viewport,
      stealth: record.stealth,
      mainContext: () => scope.living?.mainContext,
      proxy: () => this.#readProxy(),
      onVisit: (url) => {
        scope.visitedOrigins.add(url);
        this.#listener.onVisit();
      },
      onForbidden: this.#listener.onForbidden,
      extensions: await this.#extensions.load(record),
      files: scope.files,
      downloads: scope.downloads,
      observer: this.#observer,
      onDisconnected: () => {
        this.#browser = undefined;
        this.#disconnectedAt = Date.now();
        this.#recordConnection("monitor_disconnected");
        this.#listener.onDisconnected();
      },
    });
    if (scope.living === undefined) {
      browser.disconnect();
      throw new Error("The session ended while its browser was being connected");
    }
    this.#browser = browser;
    if (this.#disconnectedAt !== undefined) {
      const reconnect_duration_ms = Date.now() - this.#disconnectedAt;
      this.#recordConnection("monitor_reconnected", { reconnect_duration_ms });
    }
    this.#disconnectedAt = undefined;
    return browser;
  }

  /** Events of the browser may be missing while there is no connection. */
  #recordConnection(type: string, data?: Record<string, unknown>): void {
    this.#scope.state.telemetry.record({ category: "monitor", type, data });
  }

  #observed(): ObservedSession {
    const { state } = this.#scope;
    const readRecord = () => this.#scope.living;
    return {
      get isStealth() {
        return readRecord()?.stealth ?? false;
      },
      get wantsBodies() {
        return state.telemetry.wantsBodies;
      },
      // Events are recorded from the start of the session on, but its pages are observed before that.
      wants: (category, type) => state.telemetry.wants(category, type),
      record: (event) => state.telemetry.record(event),
      recordDropped: (category, count) => state.telemetry.recordDropped(category, count),
      countReceived: (bytes) => this.#countReceived(bytes),
      capture: async (targetId) => {
        const tab = this.#browser?.tabs.get(targetId);
        return tab && this.#browser?.captureLastPicture(tab, SCREENSHOT_FORMAT);
      },
    };
  }

  async #readProxy() {
    const { living } = this.#scope;
    if (living === undefined || living.proxyId === null) return undefined;
    return readProxy(living, living.proxyId);
  }

  async #readCloseReason(): Promise<string | undefined> {
    const { living, state } = this.#scope;
    const browserId = living?.browserId;
    return browserId && readCloseReason(bindingOf(state.env, browserId), browserId);
  }

  /** Whether the platform says that there is no such browser; false when it cannot be reached. */
  async #isGone(): Promise<boolean> {
    const { living, state } = this.#scope;
    try {
      return (
        living?.browserId !== undefined &&
        (await isBrowserGone(bindingOf(state.env, living.browserId), living.browserId))
      );
    } catch (error) {
      logError("browser_list_failed", error, state.identity);
      return false;
    }
  }
}
