import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { remoteModifiers } from "./keys.ts";
import type { Screen } from "./screen.ts";
import { wheelPixels } from "./wheel.ts";

type MouseMessage = Extract<ViewerMessage, { type: "mouse" }>;
type WheelMessage = Extract<ViewerMessage, { type: "wheel" }>;

const BUTTONS: readonly MouseMessage["button"][] = ["left", "middle", "right", "back", "forward"];
const MAX_CLICK_COUNT = 100;

export interface PointerOptions {
  canvas: HTMLCanvasElement;
  screen: Screen;
  isMac: boolean;
  canControl: () => boolean;
  send: (message: ViewerMessage) => void;
  onPress: (event: MouseEvent) => void;
}

export class Pointer {
  readonly #options: PointerOptions;
  #move: MouseMessage | undefined;
  #wheel: WheelMessage | undefined;
  #isScheduled = false;

  constructor(options: PointerOptions) {
    this.#options = options;
    const { canvas } = options;
    // Only mouse events count clicks and report each button. Capturing follows a drag outside the window.
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "touch") canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("mousemove", (event) => this.#moved(event));
    canvas.addEventListener("mousedown", (event) => this.#pressed(event));
    canvas.addEventListener("mouseup", (event) => this.#released(event));
    canvas.addEventListener("wheel", (event) => this.#turned(event), { passive: false });
    for (const type of ["contextmenu", "auxclick", "dragstart"]) {
      canvas.addEventListener(type, (event) => event.preventDefault());
    }
  }

  #moved(event: MouseEvent): void {
    if (!this.#options.canControl()) return;
    this.#move = { ...this.#message(event, "move"), button: "none", clickCount: 0 };
    this.#schedule();
  }

  #pressed(event: MouseEvent): void {
    event.preventDefault();
    if (!this.#options.canControl()) return;
    this.#options.onPress(event);
    this.#sendNow(this.#message(event, "down"));
  }

  #released(event: MouseEvent): void {
    event.preventDefault();
    if (this.#options.canControl()) this.#sendNow(this.#message(event, "up"));
  }

  #turned(event: WheelEvent): void {
    if (!this.#options.canControl()) return;
    event.preventDefault();
    const { isMac, screen } = this.#options;
    const { deltaX, deltaY } = wheelPixels(event, screen.page.height);
    this.#wheel = {
      type: "wheel",
      ...screen.pagePoint(event),
      deltaX: deltaX + (this.#wheel?.deltaX ?? 0),
      deltaY: deltaY + (this.#wheel?.deltaY ?? 0),
      modifiers: remoteModifiers(event, isMac),
    };
    this.#schedule();
  }

  #message(event: MouseEvent, action: MouseMessage["action"]): MouseMessage {
    const { isMac, screen } = this.#options;
    return {
      type: "mouse",
      action,
      ...screen.pagePoint(event),
      button: BUTTONS[event.button] ?? "none",
      buttons: event.buttons & 31,
      clickCount: Math.min(event.detail, MAX_CLICK_COUNT),
      modifiers: remoteModifiers(event, isMac),
    };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #sendNow(message: MouseMessage): void {
    this.#flush();
    this.#options.send(message);
  }

  #flush(): void {
    if (this.#move !== undefined) this.#options.send(this.#move);
    if (this.#wheel !== undefined) this.#options.send(this.#wheel);
    this.#move = undefined;
    this.#wheel = undefined;
  }
}
