import { CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { z } from "zod";
import { AttachedTargets } from "./attached-targets.ts";
import { readDevToolsDocument } from "./binding.ts";
import { openControlConnection } from "./control-connection.ts";
import { Tabs } from "./tabs.ts";
import type { Viewport } from "./viewport.ts";
import { Windows } from "./windows.ts";

const listedPagesSchema = z.array(z.object({ id: z.string(), type: z.string() }));

/** One browser, driven for its session's own purposes over a connection of its own. */
export class RemoteBrowser {
  readonly tabs: Tabs;
  readonly #connection: Connection;
  readonly #windows: Windows;
  readonly #targets: AttachedTargets;
  #onDisconnected: () => void;

  private constructor(
    connection: Connection,
    options: { viewport: Viewport; listPages: () => Promise<string[]>; onDisconnected: () => void },
  ) {
    this.#connection = connection;
    this.#windows = new Windows(connection, options.viewport);
    this.tabs = new Tabs(connection, options.listPages);
    this.#targets = new AttachedTargets(connection, (session, target) =>
      Promise.all([this.#windows.sizeWindowOf(session, target), this.tabs.add(session, target)]),
    );
    this.#onDisconnected = options.onDisconnected;
    connection.once(CDPSessionEvent.Disconnected, () => this.#onDisconnected());
  }

  /**
   * Connects to a browser, begins to keep its windows at the viewport and to follow its tabs.
   *
   * @param onDisconnected called once, when the connection is lost; not after {@link disconnect}.
   * @throws BrowserUnavailableError when the browser is gone; an Error when it does not answer.
   */
  static async connect(
    binding: BrowserRun,
    browserId: string,
    { viewport, onDisconnected }: { viewport: Viewport; onDisconnected: () => void },
  ): Promise<RemoteBrowser> {
    const connection = await openControlConnection(binding, browserId);
    try {
      const listPages = async () => {
        const listed: unknown = JSON.parse(await readDevToolsDocument(binding, browserId, "list"));
        return listedPagesSchema
          .parse(listed)
          .filter(({ type }) => type === "page")
          .map(({ id }) => id);
      };
      const browser = new RemoteBrowser(connection, { viewport, listPages, onDisconnected });
      await Promise.all([browser.tabs.follow(), browser.#targets.attachBelow(connection, ["page"])]);
      return browser;
    } catch (error) {
      connection.dispose();
      throw error;
    }
  }

  /**
   * Makes sure that there is a page, as clients expect of a browser, and waits until every page is prepared.
   *
   * @throws when one cannot be.
   */
  async prepareForFirstClient(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets");
    if (!targetInfos.some((target) => target.type === "page")) {
      await this.#connection.send("Target.createTarget", { url: "about:blank" });
    }
    await this.#targets.prepared();
  }

  /** Gives the browser's windows another size. */
  async resize(viewport: Viewport): Promise<void> {
    const front = await this.tabs.front();
    await this.#windows.resize(viewport, front.session);
  }

  /** Sends the browser a command: proves that it lives, and keeps the platform from thinking it idle. */
  async ping(): Promise<void> {
    await this.#connection.send("Browser.getVersion");
  }

  /** Ends the connection; the browser goes on. */
  disconnect(): void {
    this.#onDisconnected = () => undefined;
    this.#connection.dispose();
  }
}
