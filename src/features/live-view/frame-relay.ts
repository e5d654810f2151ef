import type { ScreencastFrame } from "../../platform/browser/index.ts";
import { FRAME_HEADER_BYTES } from "./constants.ts";

/** Above this the browser drops frames for good. Those being encoded and acknowledgements underway count. */
const MAX_UNACKNOWLEDGED = 2;

const IDLE_TIMEOUT_MS = 300;

export interface FrameReceiver {
  readonly isReady: boolean;
  receiveFrame(number: number, frame: RelayedFrame): void;
}

export class RelayedFrame {
  readonly content: ScreencastFrame;
  readonly #number: number;
  #message: Uint8Array | undefined;

  constructor(number: number, content: ScreencastFrame) {
    this.#number = number;
    this.content = content;
  }

  /** The frame as viewers receive it, encoded once for all of them. */
  get message(): Uint8Array {
    this.#message ??= encodeFrame(this.#number, this.content);
    return this.#message;
  }
}

/** Passes on screencast frames at the pace of the fastest receiver and the refresh rate. Others skip some. */
export class FrameRelay {
  readonly #onMissed: () => void;
  readonly #receivers: Iterable<FrameReceiver>;
  #intervalMs: number;
  #number = 0;
  #latest: RelayedFrame | undefined;
  #lastSent = new WeakMap<FrameReceiver, number>();
  #acknowledgements: (() => void)[] = [];
  #acknowledgedAt = 0;
  #framesSinceIdle = 0;
  #timer: number | null = null;
  #idleTimer: number | null = null;

  /**
   * @param receivers read again for each frame.
   * @param onMissed called when the browser may have dropped the last frame, which only a new screencast
   * brings.
   */
  constructor(receivers: Iterable<FrameReceiver>, refreshRate: number, onMissed: () => void) {
    this.#receivers = receivers;
    this.#onMissed = onMissed;
    this.#intervalMs = 1000 / refreshRate;
  }

  set refreshRate(refreshRate: number) {
    this.#intervalMs = 1000 / refreshRate;
  }

  handleFrame(frame: ScreencastFrame, acknowledge: () => void): void {
    this.#number += 1;
    this.#latest = new RelayedFrame(this.#number, frame);
    this.#acknowledgements.push(acknowledge);
    this.#framesSinceIdle += 1;
    this.#scheduleIdleCheck();
    this.pump();
  }

  /** Sends the latest frame to all receivers that are ready, and acknowledges it. */
  pump(): void {
    const ready = [...this.#receivers].filter((receiver) => receiver.isReady);
    if (ready.length === 0) return;
    for (const receiver of ready) {
      if (this.#latest === undefined || this.#lastSent.get(receiver) === this.#number) continue;
      this.#lastSent.set(receiver, this.#number);
      receiver.receiveFrame(this.#number, this.#latest);
    }
    this.#scheduleAcknowledgement();
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    this.#latest = undefined;
    this.#framesSinceIdle = 0;
    this.#acknowledgements = [];
  }

  #scheduleAcknowledgement(): void {
    if (this.#timer !== null || this.#acknowledgements.length === 0) return;
    const wait = Math.max(0, this.#acknowledgedAt + this.#intervalMs - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#acknowledgedAt = Date.now();
      this.#acknowledgements.shift()?.();
      this.#scheduleIdleCheck();
      this.pump();
    }, wait);
  }

  /** A page that keeps changing sends another frame anyway. */
  #scheduleIdleCheck(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#acknowledgements.length > 0) return;
      const mayHaveMissed = this.#framesSinceIdle > MAX_UNACKNOWLEDGED;
      this.#framesSinceIdle = 0;
      if (mayHaveMissed) this.#onMissed();
    }, IDLE_TIMEOUT_MS);
  }
}

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
