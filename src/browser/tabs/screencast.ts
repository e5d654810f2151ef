import type { Protocol } from "devtools-protocol";
import { withinTime } from "../../common/concurrency.ts";
import { attachSession } from "../connection/control-connection.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

/** How long a picture of a page that does not answer may take: it comes from the compositor, at once. */
const STILL_TIMEOUT_MS = 3000;

export interface ScreencastFormat {
  format: "jpeg" | "png";
  /** From 0 to 100; only of jpeg. */
  quality?: number;
  /** Largest size of a frame in pixels; the page is scaled down to it. */
  maxWidth?: number;
  maxHeight?: number;
}

export interface ScreencastFrame {
  /** The picture, in base64. */
  data: string;
  /** Size of the page in CSS pixels. */
  pageWidth: number;
  pageHeight: number;
}

/** A page's screencast: each frame is acknowledged by its taker, who sets the pace thereby. */
export class Screencast {
  readonly #session: CDPSession;
  readonly #onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void;
  readonly #listener = (event: Protocol.Page.ScreencastFrameEvent) => this.#take(event);

  private constructor(
    session: CDPSession,
    onFrame: (frame: ScreencastFrame, acknowledge: () => void) => void,
  ) {
    this.#session = session;
    this.#onFrame = onFrame;
  }

  /** @throws when the page is gone. */
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
    // The page may be gone, and its screencast with it.
    await this.#session.send("Page.stopScreencast").catch(() => undefined);
  }

  #take({ data, metadata, sessionId }: Protocol.Page.ScreencastFrameEvent): void {
    const frame = { data, pageWidth: metadata.deviceWidth, pageHeight: metadata.deviceHeight };
    this.#onFrame(frame, () => {
      this.#session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
    });
  }
}

/**
 * What a page shows, also while its script stands still and `Page.captureScreenshot` would wait for it: the last
 * picture that it painted, from a screencast of one frame. A PNG in base64; undefined when none comes.
 */
export async function captureLastPicture(
  connection: Connection,
  pageId: string,
): Promise<string | undefined> {
  // A session has one screencast at most, and the page's own may have a live view's.
  const session = await attachSession(connection, pageId);
  const first = Promise.withResolvers<string>();
  try {
    const screencast = Screencast.start(session, { format: "png" }, ({ data }) => first.resolve(data));
    screencast.catch(first.reject);
    return await withinTime(first.promise, STILL_TIMEOUT_MS);
  } finally {
    await session.detach();
  }
}
