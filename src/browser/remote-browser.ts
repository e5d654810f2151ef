import { CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { openControlConnection } from "./control-connection.ts";
import type { Viewport } from "./viewport.ts";
import { Windows } from "./windows.ts";

/** One browser, driven for its session's own purposes over a connection of its own. */
export class RemoteBrowser {
  readonly #connection: Connection;
  readonly #windows: Windows;
  #onDisconnected: () => void;

  private constructor(connection: Connection, windows: Windows, onDisconnected: () => void) {
    this.#connection = connection;
    this.#windows = windows;
    this.#onDisconnected = onDisconnected;
    connection.once(CDPSessionEvent.Disconnected, () => this.#onDisconnected());
  }

  /**
   * Connects to a browser and begins to keep its windows at the viewport.
   *
   * @param onDisconnected called once, when the connection is lost; not after {@link disconnect}.
   * @throws BrowserUnavailableError when the browser is gone; an Error when it does not answer.
   */
  static async connect(
    binding: BrowserRun,
    browserId: string,
    options: { viewport: Viewport; onDisconnected: () => void },
  ): Promise<RemoteBrowser> {
    const connection = await openControlConnection(binding, browserId);
    try {
      const windows = await Windows.keepAt(connection, options.viewport);
      return new RemoteBrowser(connection, windows, options.onDisconnected);
    } catch (error) {
      connection.dispose();
      throw error;
    }
  }

  /**
   * Makes sure that there is a page, as clients expect of a browser, and waits until every window has its size.
   *
   * @throws when one cannot be sized.
   */
  async prepareForFirstClient(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets");
    if (!targetInfos.some((target) => target.type === "page")) {
      await this.#connection.send("Target.createTarget", { url: "about:blank" });
    }
    await this.#windows.sized();
  }

  /** Sends the browser a command: proves that it lives, and keeps the platform from thinking it idle. */
  async ping(): Promise<void> {
    await this.#connection.send("Browser.getVersion");
  }

  /** Loads a URL in the browser's first tab; resolves when the tab has left for it. */
  async navigateFirstTab(url: string): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets");
    const page = targetInfos.find((target) => target.type === "page");
    if (page === undefined) return;
    const session = await this.#connection.createSession(page);
    try {
      await session.send("Page.navigate", { url });
    } finally {
      await session.detach();
    }
  }

  /** Ends the connection; the browser goes on. */
  disconnect(): void {
    this.#onDisconnected = () => undefined;
    this.#connection.dispose();
  }
}
