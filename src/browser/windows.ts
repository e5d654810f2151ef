import type { CDPSession } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { ProtocolError } from "@cloudflare/puppeteer/internal/common/Errors.js";
import { logError } from "../log.ts";
import type { Viewport } from "./viewport.ts";

const METHOD_NOT_FOUND = -32601;

interface PageTarget {
  targetId: string;
  /** The page that opened this one as a popup. */
  openerId?: string;
}

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
 * new window (a browser context of a client's gets one) is sized before its page runs its first script: pages
 * are held at their start until that is done. A popup keeps the size it was opened with.
 */
export class Windows {
  readonly #connection: Connection;
  readonly #viewport: Viewport;
  readonly #known = new Set<number>();
  readonly #preparing = new Set<Promise<void>>();
  #frame: Promise<Frame> | undefined;

  private constructor(connection: Connection, viewport: Viewport) {
    this.#connection = connection;
    this.#viewport = viewport;
  }

  /** Begins to size the screen and every window there is, and from then on each new one as it opens. */
  static async keepAt(connection: Connection, viewport: Viewport): Promise<Windows> {
    const windows = new Windows(connection, viewport);
    connection.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
      const session = connection.session(sessionId);
      if (session !== null) windows.#prepare(session, targetInfo, waitingForDebugger);
    });
    await connection.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: "page" }, { exclude: true }],
    });
    return windows;
  }

  /**
   * Resolves when every window that is there now has its size.
   *
   * @throws when one cannot be sized. A page that is busy, or shows a dialog, can be the reason.
   */
  async sized(): Promise<void> {
    await Promise.all(this.#preparing);
  }

  #prepare(session: CDPSession, target: PageTarget, waiting: boolean): void {
    const work = this.#sizeWindowOf(session, target).finally(async () => {
      if (waiting) await session.send("Runtime.runIfWaitingForDebugger");
    });
    this.#preparing.add(work);
    work
      .catch((error) => {
        // A page that was closed while it was being prepared needs no size.
        if (this.#connection.session(session.id()) !== null) logError("window_not_sized", error);
      })
      .finally(() => this.#preparing.delete(work));
  }

  async #sizeWindowOf(session: CDPSession, target: PageTarget): Promise<void> {
    const { windowId } = await this.#connection.send("Browser.getWindowForTarget", {
      targetId: target.targetId,
    });
    if (this.#known.has(windowId)) return;
    const isFirst = this.#known.size === 0;
    this.#known.add(windowId);
    if (target.openerId !== undefined) return;
    if (isFirst) await sizeScreen(session, this.#viewport);
    await this.#sizeWindow(session, windowId);
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
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return false;
    throw error;
  }
}
