import type { Protocol } from "devtools-protocol";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { attachSession } from "../connection/control-connection.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

const STILL_TIMEOUT_MS = 3000;

export interface ScreencastFormat {
  format: "jpeg" | "png";
  quality?: number;
  maxWidth?: number;
  maxHeight?: number;
}

export interface ScreencastFrame {
  data: string;
  pageWidth: number;
  pageHeight: number;
}

interface ScreencastOptions {
  format: ScreencastFormat;
  /**
   * Frames that come faster than this pause the screencast until the last one is acknowledged: while it runs,
   * Chrome copies each picture that a page paints, also those that it does not send. Read again for each
   * frame; absent or 0: it is never paused.
   */
  intervalMs?: () => number;
  onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void;
  /** Called when it could not run again after a pause, as while a page loads. */
  onLost?: () => void;
}

/**
 * A page's screencast. The next frame comes after the consumer acknowledges the last one.
 *
 * @example
 * ```ts
 * const screencast = await Screencast.start(tab.session, {
 *   format: { format: "jpeg", quality: 60 },
 *   onFrame: ({ data }, acknowledge) => {
 *     show(data);
 *     acknowledge();
 *   },
 * });
 * await screencast.stop();
 * ```
 */
export class Screencast {
  readonly #session: CDPSession;
  readonly #options: ScreencastOptions;
  readonly #listener = (event: Protocol.Page.ScreencastFrameEvent) => this.#handleFrame(event);
  #isPaused = false;
  #isStopped = false;
  /** Whether the page paints faster than the interval. */
  #isMoving = false;
  #lastPicture: string | undefined;
  #lastFrameAt = 0;

  private constructor(session: CDPSession, options: ScreencastOptions) {
    this.#session = session;
    this.#options = options;
  }

  static async start(session: CDPSession, options: ScreencastOptions): Promise<Screencast> {
    const screencast = new Screencast(session, options);
    session.on("Page.screencastFrame", screencast.#listener);
    try {
      await screencast.#run();
    } catch (error) {
      session.off("Page.screencastFrame", screencast.#listener);
      throw error;
    }
    return screencast;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#session.off("Page.screencastFrame", this.#listener);
    if (!this.#isPaused) await this.#session.send("Page.stopScreencast").catch(() => undefined);
  }

  /** Chrome sends the present picture at once. */
  #run(): Promise<unknown> {
    return this.#session.send("Page.startScreencast", { everyNthFrame: 1, ...this.#options.format });
  }

  #handleFrame({ data, metadata, sessionId }: Protocol.Page.ScreencastFrameEvent): void {
    // It was on its way when the screencast was paused.
    if (this.#isPaused) return;
    const acknowledge = () => {
      this.#session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
    };
    const frame = { data, pageWidth: metadata.deviceWidth, pageHeight: metadata.deviceHeight };
    const intervalMs = this.#options.intervalMs?.() ?? 0;
    if (intervalMs === 0) {
      this.#isMoving = false;
      this.#options.onFrame(frame, acknowledge);
      return;
    }
    const isSame = data === this.#lastPicture;
    const isEarly = Date.now() - this.#lastFrameAt < intervalMs;
    // After a pause, the picture of a page that has stopped is the last one.
    const hasStopped = this.#isMoving && isSame;
    this.#isMoving = !hasStopped && (this.#isMoving || isEarly);
    this.#lastPicture = data;
    this.#lastFrameAt = Date.now();
    if (this.#isMoving) this.#pause();
    else acknowledge();
    if (!hasStopped) this.#options.onFrame(frame, () => this.#resume());
  }

  #pause(): void {
    this.#isPaused = true;
    this.#session.send("Page.stopScreencast").catch(() => undefined);
  }

  #resume(): void {
    if (this.#isStopped || !this.#isPaused) return;
    this.#isPaused = false;
    this.#run().catch(() => {
      if (!this.#isStopped) this.#options.onLost?.();
    });
  }
}

/**
 * Gets a page's last painted picture from a one-frame screencast. `Page.captureScreenshot` would wait for a
 * page whose script is blocked.
 *
 * @returns the picture in base64; undefined if no frame arrives.
 */
export async function captureLastPicture(
  connection: Connection,
  pageId: string,
  format: ScreencastFormat = { format: "png" },
): Promise<string | undefined> {
  // A session has at most one screencast, and a live view may use the page's.
  const session = await attachSession(connection, pageId);
  const first = Promise.withResolvers<string>();
  try {
    const screencast = Screencast.start(session, { format, onFrame: ({ data }) => first.resolve(data) });
    screencast.catch(first.reject);
    return await resolveWithin(first.promise, STILL_TIMEOUT_MS);
  } finally {
    await session.detach();
  }
}
