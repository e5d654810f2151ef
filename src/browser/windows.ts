import type { CDPSession } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import type { TargetInfo } from "./attached-targets.ts";
import { isUnknownCommand, refusalOf } from "./control-connection.ts";
import type { Viewport } from "./viewport.ts";

/** What a window is larger than its page. */
interface Frame {
  width: number;
  height: number;
}

/**
 * Keeps a browser's windows at the session's viewport.
 *
 * The size is the window's own, never an emulated one: `Emulation.setDeviceMetricsOverride` belongs to one page
 * and is lost for all when any client that had set one detaches. A window's size reaches its later tabs too. A
 * new window (a browser context of a client's gets one) is sized before its page runs its first script. A popup
 * keeps the size it was opened with.
 */
export class Windows {
  readonly #connection: Connection;
  /** Windows that have the viewport's size, popups left out, and those that are popups. */
  readonly #sized = new Set<number>();
  readonly #popups = new Set<number>();
  #viewport: Viewport;
  #frame: Promise<Frame> | undefined;

  constructor(connection: Connection, viewport: Viewport) {
    this.#connection = connection;
    this.#viewport = viewport;
  }

  /** Sizes a page's window where it is a new one, and the screen with the first. */
  async sizeWindowOf(session: CDPSession, page: TargetInfo): Promise<void> {
    const { windowId } = await this.#connection.send("Browser.getWindowForTarget", {
      targetId: page.targetId,
    });
    if (this.#sized.has(windowId)) return;
    if (page.openerId !== undefined) {
      this.#popups.add(windowId);
      return;
    }
    // After a reconnect a tab that a page has opened may be heard of before the page itself.
    this.#popups.delete(windowId);
    const isFirst = this.#sized.size === 0;
    this.#sized.add(windowId);
    if (isFirst) await sizeScreen(session, this.#viewport);
    await this.#sizeWindow(session, windowId);
  }

  /**
   * Gives every window but popups another size.
   *
   * @param page any page of the browser, in one of the windows.
   * @throws when the browser refuses; new windows then open in the size before.
   */
  async resize(viewport: Viewport, page: CDPSession): Promise<void> {
    const before = this.#viewport;
    this.#viewport = viewport;
    try {
      await sizeScreen(page, viewport);
      // Where all pages have an opener, because the first was closed, every window is taken for a popup.
      const windows = this.#sized.size > 0 ? this.#sized : this.#popups;
      for (const windowId of windows) {
        if (await this.#exists(windowId)) await this.#sizeWindow(page, windowId);
        else windows.delete(windowId);
      }
    } catch (error) {
      this.#viewport = before;
      throw error;
    }
  }

  /** Nobody tells of windows that close. */
  async #exists(windowId: number): Promise<boolean> {
    try {
      await this.#connection.send("Browser.getWindowBounds", { windowId });
      return true;
    } catch (error) {
      if (refusalOf(error) !== undefined) return false;
      throw error;
    }
  }

  async #sizeWindow(session: CDPSession, windowId: number): Promise<void> {
    const { width, height } = this.#viewport;
    const sized = await whereKnown(() =>
      this.#connection.send("Browser.setContentsSize", { windowId, width, height }),
    );
    if (sized) return;
    const frame = await this.#measureFrame(session, windowId);
    await this.#connection.send("Browser.setWindowBounds", {
      windowId,
      bounds: { width: width + frame.width, height: height + frame.height },
    });
  }

  /** Measured on the first window, whose page runs: one that is held at its start would not answer. */
  #measureFrame(session: CDPSession, windowId: number): Promise<Frame> {
    this.#frame ??= measureFrame(this.#connection, session, windowId);
    return this.#frame;
  }
}

async function measureFrame(connection: Connection, session: CDPSession, windowId: number): Promise<Frame> {
  const [{ bounds }, { cssLayoutViewport }] = await Promise.all([
    connection.send("Browser.getWindowBounds", { windowId }),
    session.send("Page.getLayoutMetrics"),
  ]);
  return {
    width: (bounds.width ?? 0) - cssLayoutViewport.clientWidth,
    height: (bounds.height ?? 0) - cssLayoutViewport.clientHeight,
  };
}

/** Makes the screen as large as the viewport, where the browser knows how. */
async function sizeScreen(session: CDPSession, { width, height }: Viewport): Promise<void> {
  await whereKnown(async () => {
    const { screenInfos } = await session.send("Emulation.getScreenInfos");
    const screen = screenInfos[0];
    if (screen !== undefined)
      await session.send("Emulation.updateScreen", { screenId: screen.id, width, height });
  });
}

/** Sends commands that older browsers lack; false when this one does. */
async function whereKnown(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (isUnknownCommand(error)) return false;
    throw error;
  }
}
