import type { ScreencastFrame } from "../browser/index.ts";
import { FRAME_HEADER_BYTES } from "./constants.ts";

/**
 * While more are not acknowledged the browser drops frames, and brings none of them later. For it also those count that it
 * is still encoding, and those whose acknowledgement is on its way: how many there are nobody else knows.
 */
const MAX_UNACKNOWLEDGED = 2;

/** The browser is quiet when no frame has come for so long and all are acknowledged. */
const QUIET_MS = 300;

/** Whoever is shown frames. */
export interface FrameTaker {
  /** Whether the frames that it was given are drawn, so that it can take one more. */
  readonly isReady: boolean;
  takeFrame(number: number, message: Uint8Array): void;
}

/**
 * Hands a screencast's frames to those who look at it, and acknowledges them to the browser no faster than the
 * fastest of them draws and the session's refresh rate allows. Nothing queues: whoever is slower misses frames.
 */
export class FrameRelay {
  readonly #onMissed: () => void;
  readonly #takers: Iterable<FrameTaker>;
  #intervalMs: number;
  #number = 0;
  #latest: ScreencastFrame | undefined;
  /** Number of the last frame that each taker was given. */
  #given = new WeakMap<FrameTaker, number>();
  #acknowledgements: (() => void)[] = [];
  #acknowledgedAt = 0;
  /** Frames that came since it was quiet. */
  #burst = 0;
  #timer: number | null = null;
  #quietTimer: number | null = null;

  /**
   * @param takers those who look; read anew for each frame.
   * @param onMissed called when the browser is quiet and may have dropped the last frame, which only a new screencast
   * brings.
   */
  constructor(takers: Iterable<FrameTaker>, refreshRate: number, onMissed: () => void) {
    this.#takers = takers;
    this.#onMissed = onMissed;
    this.#intervalMs = 1000 / refreshRate;
  }

  set refreshRate(refreshRate: number) {
    this.#intervalMs = 1000 / refreshRate;
  }

  /** Takes a frame from the browser. */
  take(frame: ScreencastFrame, acknowledge: () => void): void {
    this.#number += 1;
    this.#latest = frame;
    this.#acknowledgements.push(acknowledge);
    this.#burst += 1;
    this.#awaitQuiet();
    this.pump();
  }

  /** Gives the latest frame to all who are ready for it, and the browser leave for the next. */
  pump(): void {
    const ready = [...this.#takers].filter((taker) => taker.isReady);
    if (ready.length === 0) return;
    const waiting = ready.filter((taker) => this.#given.get(taker) !== this.#number);
    if (this.#latest !== undefined && waiting.length > 0) {
      const message = encodeFrame(this.#number, this.#latest);
      for (const taker of waiting) {
        this.#given.set(taker, this.#number);
        taker.takeFrame(this.#number, message);
      }
    }
    this.#scheduleAcknowledgement();
  }

  /** Forgets what was shown: another tab is, or nobody looks. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    clearTimeout(this.#quietTimer);
    this.#quietTimer = null;
    this.#latest = undefined;
    this.#burst = 0;
    this.#acknowledgements = [];
  }

  #scheduleAcknowledgement(): void {
    if (this.#timer !== null || this.#acknowledgements.length === 0) return;
    const wait = Math.max(0, this.#acknowledgedAt + this.#intervalMs - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#acknowledgedAt = Date.now();
      this.#acknowledgements.shift()?.();
      this.#awaitQuiet();
      this.pump();
    }, wait);
  }

  /** As long as the page changes, another frame comes. */
  #awaitQuiet(): void {
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(() => {
      if (this.#acknowledgements.length > 0) return;
      const mayHaveMissed = this.#burst > MAX_UNACKNOWLEDGED;
      this.#burst = 0;
      if (mayHaveMissed) this.#onMissed();
    }, QUIET_MS);
  }
}

/** A frame as viewers get it; {@link FRAME_HEADER_BYTES} says what stands before the picture. */
export function encodeFrame(number: number, { data, pageWidth, pageHeight }: ScreencastFrame): Uint8Array {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const message = new Uint8Array(FRAME_HEADER_BYTES + (data.length / 4) * 3 - padding);
  const header = new DataView(message.buffer);
  header.setUint32(0, number);
  header.setUint16(4, pageWidth);
  header.setUint16(6, pageHeight);
  message.subarray(FRAME_HEADER_BYTES).setFromBase64(data);
  return message;
}
