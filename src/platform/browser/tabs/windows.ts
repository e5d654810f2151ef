import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { attachSession, orUndefinedIfRefused } from "../connection/control-connection.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";
import type { Viewport } from "./viewport.ts";

const SIZE_TIMEOUT_MS = 3000;
const SIZE_POLL_INTERVAL_MS = 10;

interface Frame {
  width: number;
  height: number;
}

/**
 * Keeps a browser's windows at the session's viewport. Windows are sized rather than emulated, because
 * `Emulation.setDeviceMetricsOverride` applies to one page and is lost when any client that used it detaches.
 * A new window is sized before its page's first script. Popups keep their size.
 */
export class Windows {
  readonly #connection: Connection;
  readonly #sized = new Set<number>();
  readonly #popups = new Set<number>();
  readonly #emulated = new Set<CDPSession>();
  #viewport: Viewport;
  #frame: Promise<Frame> | undefined;

  constructor(connection: Connection, viewport: Viewport) {
    this.#connection = connection;
    this.#viewport = viewport;
  }

  async sizeWindowOf(session: CDPSession, page: TargetInfo): Promise<void> {
    const window = await orUndefinedIfRefused(
      this.#connection.send("Browser.getWindowForTarget", { targetId: page.targetId }),
    );
    if (window === undefined) {
      if (page.openerId === undefined) await this.#emulate(session);
      return;
    }
    const { windowId } = window;
    if (this.#sized.has(windowId)) return;
    if (page.openerId !== undefined) {
      this.#popups.add(windowId);
      return;
    }
    // After a reconnect, an opened tab may be reported before its opener.
    this.#popups.delete(windowId);
    const isFirst = this.#sized.size === 0;
    this.#sized.add(windowId);
    if (isFirst) await sizeScreen(session, this.#viewport);
    await this.#sizeWindow(session, windowId);
  }

  /**
   * Resizes all windows except popups.
   *
   * @param page any page in one of the windows.
   * @throws when the browser does not answer; new windows then keep the former size.
   */
  async resize(viewport: Viewport, page: CDPSession): Promise<void> {
    const before = this.#viewport;
    this.#viewport = viewport;
    try {
      await sizeScreen(page, viewport);
      // If the first page was closed, all pages have an opener, and every window looks like a popup.
      const windows = this.#sized.size > 0 ? this.#sized : this.#popups;
      for (const windowId of windows) {
        if (await this.#exists(windowId)) await this.#sizeWindow(page, windowId);
        else windows.delete(windowId);
      }
      for (const session of this.#emulated) {
        if (session.connection() === undefined) this.#emulated.delete(session);
        else await this.#emulate(session);
      }
    } catch (error) {
      this.#viewport = before;
      throw error;
    }
  }

  /** A page sees its new window size shortly after the browser's answer: first the inner, then the outer. */
  async waitUntilSized(page: CDPSession): Promise<void> {
    const { width, height } = this.#viewport;
    const inner = `innerWidth === ${width} && innerHeight === ${height}`;
    const expression = `${inner} && outerWidth >= innerWidth && outerHeight >= innerHeight`;
    const deadline = Date.now() + SIZE_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const evaluating = page.send("Runtime.evaluate", { expression }).catch(() => undefined);
      const evaluated = await resolveWithin(evaluating, deadline - Date.now());
      // A new page refuses until it has a context for scripts.
      if (evaluated !== undefined && evaluated.result.value !== false) return;
      await pause(SIZE_POLL_INTERVAL_MS);
    }
  }

  /** The browser does not report closed windows. */
  async #exists(windowId: number): Promise<boolean> {
    const bounds = await orUndefinedIfRefused(this.#connection.send("Browser.getWindowBounds", { windowId }));
    return bounds !== undefined;
  }

  async #sizeWindow(session: CDPSession, windowId: number): Promise<void> {
    const { width, height } = this.#viewport;
    const isSized =
      (await isAccepted(this.#connection.send("Browser.setContentsSize", { windowId, width, height }))) ||
      (await isAccepted(this.#sizeByFrame(session, windowId)));
    if (!isSized) await this.#emulate(session);
  }

  async #sizeByFrame(session: CDPSession, windowId: number): Promise<void> {
    const { width, height } = this.#viewport;
    const frame = await this.#measureFrame(session, windowId);
    const bounds = { width: width + frame.width, height: height + frame.height };
    await this.#connection.send("Browser.setWindowBounds", { windowId, bounds });
  }

  async #emulate(session: CDPSession): Promise<void> {
    this.#emulated.add(session);
    const { width, height } = this.#viewport;
    const size = { width, height, screenWidth: width, screenHeight: height };
    const isEmulated = await isAccepted(
      session.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 0, mobile: false }),
    );
    if (!isEmulated) this.#emulated.delete(session);
  }

  /** Uses the first window, because a page held at its start would not answer. */
  #measureFrame(session: CDPSession, windowId: number): Promise<Frame> {
    this.#frame ??= measureFrame(this.#connection, session, windowId);
    return this.#frame;
  }
}

/** Sizes the window of a launched browser in advance, because its page sees a new size only after a while. */
export async function sizeFirstWindow(connection: Connection, viewport: Viewport): Promise<void> {
  const { targetInfos } = await connection.send("Target.getTargets");
  const page = targetInfos.find(({ type }) => type === "page");
  if (page === undefined) return;
  const session = await attachSession(connection, page.targetId);
  const windows = new Windows(connection, viewport);
  await windows.sizeWindowOf(session, page);
  await windows.waitUntilSized(session);
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

async function sizeScreen(session: CDPSession, { width, height }: Viewport): Promise<void> {
  const infos = await orUndefinedIfRefused(session.send("Emulation.getScreenInfos"));
  const screen = infos?.screenInfos[0];
  if (screen === undefined) return;
  await isAccepted(session.send("Emulation.updateScreen", { screenId: screen.id, width, height }));
}

async function isAccepted(answer: Promise<unknown>): Promise<boolean> {
  return (await orUndefinedIfRefused(answer.then(() => true))) ?? false;
}
