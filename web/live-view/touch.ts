import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import type { Screen } from "./screen.ts";
import { TouchIds } from "./touch-ids.ts";

type TouchMessage = Extract<ViewerMessage, { type: "touch" }>;

const MAX_POINTS = 10;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_DISTANCE = 30;

export interface TouchOptions {
  canvas: HTMLCanvasElement;
  screen: Screen;
  canControl: () => boolean;
  send: (message: ViewerMessage) => void;
  onPress: () => void;
  onDoubleTap: (at: { clientX: number; clientY: number }) => void;
}

export class Touch {
  readonly #options: TouchOptions;
  readonly #ids = new TouchIds();
  #isPinch = false;
  #isDoubleTap = false;
  #lastStart = { time: Number.NEGATIVE_INFINITY, x: 0, y: 0 };
  #move: TouchMessage | undefined;

  constructor(options: TouchOptions) {
    this.#options = options;
    for (const action of ["start", "move", "end", "cancel"] as const) {
      options.canvas.addEventListener(`touch${action}`, (event) => this.#touched(event, action), {
        passive: false,
      });
    }
  }

  #touched(event: TouchEvent, action: TouchMessage["action"]): void {
    if (!this.#options.canControl()) return;
    const wasPinch = this.#isPinch;
    this.#isPinch = event.touches.length > (wasPinch ? 0 : 1);
    if (wasPinch || this.#isPinch) {
      // The viewer's browser zooms. The remote page must not keep the first finger.
      if (!wasPinch) this.#options.send({ type: "touch", action: "cancel", points: [] });
      this.#lastStart.time = Number.NEGATIVE_INFINITY;
      return;
    }
    // Prevents emulated mouse events. Preventing the start would also prevent zooming.
    if (event.cancelable && action === "end") event.preventDefault();
    if (action === "start") this.#isDoubleTap = this.#takeDoubleTap(event);
    if (this.#isDoubleTap) return;
    if (action === "start") this.#options.onPress();
    const touches = [...event.targetTouches].slice(0, MAX_POINTS);
    const points = touches.map((touch) => ({
      id: this.#ids.idOf(touch.identifier),
      ...this.#options.screen.pagePoint(touch),
    }));
    this.#ids.keep(touches.map(({ identifier }) => identifier));
    const message: TouchMessage = { type: "touch", action, points };
    if (action === "move") this.#schedule(message);
    else {
      this.#flush();
      this.#options.send(message);
    }
  }

  /** The second tap stays on this device. */
  #takeDoubleTap({ timeStamp, touches }: TouchEvent): boolean {
    const touch = touches[0];
    if (touch === undefined) return false;
    const { time, x, y } = this.#lastStart;
    this.#lastStart = { time: timeStamp, x: touch.clientX, y: touch.clientY };
    const distance = Math.hypot(touch.clientX - x, touch.clientY - y);
    if (timeStamp - time > DOUBLE_TAP_MS || distance > DOUBLE_TAP_DISTANCE) return false;
    this.#lastStart.time = Number.NEGATIVE_INFINITY;
    this.#options.onDoubleTap(touch);
    return true;
  }

  #schedule(move: TouchMessage): void {
    if (this.#move === undefined) requestAnimationFrame(() => this.#flush());
    this.#move = move;
  }

  #flush(): void {
    if (this.#move !== undefined) this.#options.send(this.#move);
    this.#move = undefined;
  }
}
