import { isBrowserGone, RemoteBrowser } from "../../browser/index.ts";
import { logError } from "../../common/log.ts";
import { readBrowserProxy } from "../../proxies/index.ts";
import { SessionExtensions } from "./extensions.ts";
import type { ConnectionScope } from "./scope.ts";

/** How long a browser may fail to answer before it is given up although the platform still lists it. */
const MAX_SILENCE_MS = 5 * 60_000;

/** A `silent` browser may be alive or lost. */
export type BrowserHealth = "alive" | "silent" | "lost";

/** A session's own connection to its browser. It is opened on demand, and reopened when it is lost. */
export class SessionBrowser {
  readonly #scope: ConnectionScope;
  readonly #extensions: SessionExtensions;
  readonly #onDisconnected: () => void;
  #browser: RemoteBrowser | undefined;
  #connecting: Promise<RemoteBrowser> | undefined;
  #checking: Promise<BrowserHealth> | undefined;
  #silentSince: number | undefined;
  /** Since when the platform says that it is gone. */
  #goneSince: number | undefined;

  /** @param onDisconnected is called when the connection is lost. The browser may still be there. */
  constructor(scope: ConnectionScope, onDisconnected: () => void) {
    this.#scope = scope;
    this.#extensions = new SessionExtensions(scope.state.env.FILES, scope.state.storage);
    this.#onDisconnected = onDisconnected;
  }

  /** The connected browser; undefined while there is no connection. */
  get connected(): RemoteBrowser | undefined {
    return this.#browser;
  }

  /** @throws when the session has ended, or its browser does not answer. */
  connect(): Promise<RemoteBrowser> {
    if (this.#browser !== undefined) return Promise.resolve(this.#browser);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * Sends the browser a command, and asks the platform if it does not answer. A browser is lost only after the platform
   * has not known it for a while, because a lost connection or a busy platform is not a lost browser. Concurrent calls
   * share one check.
   */
  check(): Promise<BrowserHealth> {
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Closes the connection. The browser keeps running. */
  disconnect(): void {
    this.#browser?.disconnect();
    this.#browser = undefined;
  }

  async #checkOnce(): Promise<BrowserHealth> {
    try {
      const browser = await this.connect();
      await browser.ping();
      this.#silentSince = undefined;
      this.#goneSince = undefined;
      return "alive";
    } catch (error) {
      this.disconnect();
      const { settings, identity } = this.#scope.state;
      const isGone = await this.#isGone();
      const now = Date.now();
      this.#silentSince ??= now;
      this.#goneSince = isGone ? (this.#goneSince ?? now) : undefined;
      const isLost =
        now - this.#silentSince >= MAX_SILENCE_MS ||
        (this.#goneSince !== undefined && now - this.#goneSince >= settings.browserListLagMs);
      logError("session_browser_silent", error, { ...identity, lost: isLost });
      return isLost ? "lost" : "silent";
    }
  }

  async #open(): Promise<RemoteBrowser> {
    const scope = this.#scope;
    const record = scope.living;
    if (record?.browserId === undefined) throw new Error("The session has no browser");
    const browser = await RemoteBrowser.connect(scope.state.env.BROWSER, record.browserId, {
      viewport: record.viewport,
      stealth: record.stealth,
      mainContext: () => scope.living?.mainContext,
      proxy: () => this.#readProxy(),
      onVisit: (url) => scope.visitedOrigins.add(url),
      extensions: await this.#extensions.load(record),
      files: scope.files,
      downloads: scope.downloads,
      onDisconnected: () => {
        this.#browser = undefined;
        this.#onDisconnected();
      },
    });
    if (scope.living === undefined) {
      browser.disconnect();
      throw new Error("The session ended while its browser was being connected");
    }
    this.#browser = browser;
    return browser;
  }

  async #readProxy() {
    const { living, state } = this.#scope;
    if (living === undefined || living.proxyId === null) return undefined;
    return readBrowserProxy(state.env, living.organizationId, living.proxyId);
  }

  /** Whether the platform says that there is no such browser; false when it cannot be asked. */
  async #isGone(): Promise<boolean> {
    const { living, state } = this.#scope;
    try {
      return living?.browserId !== undefined && (await isBrowserGone(state.env.BROWSER, living.browserId));
    } catch (error) {
      logError("browser_list_failed", error, state.identity);
      return false;
    }
  }
}
