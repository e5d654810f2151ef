import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { describeError } from "../log.ts";
import { openControlConnection } from "./control-connection.ts";
import type { Viewport } from "./viewport.ts";
import { Windows } from "./windows.ts";

/** One browser, driven for its session's own purposes over a connection of its own. */
export class RemoteBrowser {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Connects to a browser and brings its windows to the viewport.
   *
   * @param onDisconnected called once, when the connection is lost; not after {@link disconnect}.
   * @throws BrowserUnavailableError when the browser is gone; an Error when it cannot be prepared.
   */
  static async connect(
    binding: BrowserRun,
    browserId: string,
    options: { viewport: Viewport; onDisconnected: () => void },
  ): Promise<RemoteBrowser> {
    const connection = await openControlConnection(binding, browserId);
    const browser = new RemoteBrowser(connection);
    try {
      await Windows.keepAt(connection, options.viewport);
    } catch (error) {
      browser.disconnect();
      throw new Error(`The browser's windows could not be prepared: ${describeError(error)}`, {
        cause: error,
      });
    }
    browser.#onDisconnected = options.onDisconnected;
    if (connection._closed) options.onDisconnected();
    connection.once("disconnected", () => browser.#onDisconnected?.());
    return browser;
  }

  #onDisconnected: (() => void) | undefined;

  /** Sends the browser a command: proves that it lives, and keeps the platform from thinking it idle. */
  async ping(): Promise<void> {
    await this.#connection.send("Browser.getVersion");
  }

  /** Begins to load a URL in the browser's first tab; resolves when the browser has taken the command. */
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
    this.#onDisconnected = undefined;
    this.#connection.dispose();
  }
}
