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

/**
 * A page's screencast. The next frame comes after the consumer acknowledges the last one.
 *
 * @example
 * ```ts
 * const format = { format: "jpeg", quality: 60 };
 * const screencast = await Screencast.start(tab.session, format, ({ data }, acknowledge) => {
 *   show(data);
 *   acknowledge();
 * });
 * await screencast.stop();
 * ```
 */
export class Screencast {
  readonly #session: CDPSession;
  readonly #onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void;
  readonly #listener = (event: Protocol.Page.ScreencastFrameEvent) => this.#handleFrame(event);

  private constructor(
    session: CDPSession,
    onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void,
  ) {
    this.#session = session;
    this.#onFrame = onFrame;
  }

  static async start(
    session: CDPSession,
    format: ScreencastFormat,
    onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void,
  ): Promise<Screencast> {
    const screencast = new Screencast(session, onFrame);
    session.on("Page.screencastFrame", screencast.#listener);
    try {
      await session.send("Page.startScreencast", { everyNthFrame: 1, ...format });
    } catch (error) {
      session.off("Page.screencastFrame", screencast.#listener);
      throw error;
    }
    return screencast;
  }

  async stop(): Promise<void> {
    this.#session.off("Page.screencastFrame", this.#listener);
    await this.#session.send("Page.stopScreencast").catch(() => undefined);
  }

  #handleFrame({ data, metadata, sessionId }: Protocol.Page.ScreencastFrameEvent): void {
    const frame = { data, pageWidth: metadata.deviceWidth, pageHeight: metadata.deviceHeight };
    this.#onFrame(frame, () => {
      this.#session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
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
    const screencast = Screencast.start(session, format, ({ data }) => first.resolve(data));
    screencast.catch(first.reject);
    return await resolveWithin(first.promise, STILL_TIMEOUT_MS);
  } finally {
    await session.detach();
  }
}
