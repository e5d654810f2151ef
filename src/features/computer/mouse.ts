import { MODIFIER } from "./keys.ts";
import type { Point } from "./mouse-path.ts";
import type { PageInput } from "./page-input.ts";

const BUTTON_BITS = { none: 0, left: 1, right: 2, middle: 4, back: 8, forward: 16 } as const;

const BUTTONS = ["left", "right", "middle", "back", "forward"] as const;

export type MouseButton = (typeof BUTTONS)[number];

/** CSS pixels that Chrome on Linux scrolls per notch. */
const PIXELS_PER_NOTCH = 120;

/** More notches are combined into larger events. */
const MAX_WHEEL_EVENTS = 25;

export class Mouse {
  #position: Point = [0, 0];
  #buttons = 0;

  get position(): Point {
    return this.#position;
  }

  get isPressed(): boolean {
    return this.#buttons !== 0;
  }

  holds(button: MouseButton): boolean {
    return (this.#buttons & BUTTON_BITS[button]) !== 0;
  }

  /** Does not wait, because a page handles moves only once per painted frame. */
  move(page: PageInput, [x, y]: Point, modifiers: number): void {
    this.#position = [x, y];
    if (page.hasBacklog) return;
    page.send("Input.dispatchMouseEvent", {
      type: "mouseMoved",
      x,
      y,
      modifiers,
      buttons: this.#buttons,
      button: nameButton(this.#buttons),
    });
  }

  /** @param clickCount 2 for the second press of a double click. */
  press(page: PageInput, button: MouseButton, clickCount: number, modifiers: number): void {
    this.#buttons |= BUTTON_BITS[button];
    if (opensBackgroundTab(button, modifiers)) page.expectBackgroundTab();
    this.#dispatch(page, "mousePressed", button, clickCount, modifiers);
  }

  release(page: PageInput, button: MouseButton, clickCount: number, modifiers: number): void {
    this.#buttons &= ~BUTTON_BITS[button];
    this.#dispatch(page, "mouseReleased", button, clickCount, modifiers);
  }

  releaseAll(page: PageInput): void {
    for (const button of BUTTONS) {
      if (this.holds(button)) this.release(page, button, 1, 0);
    }
  }

  scrollWheel(page: PageInput, deltaX: number, deltaY: number, modifiers: number): void {
    if (page.hasBacklog) return;
    const [x, y] = this.#position;
    page.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX, deltaY, modifiers });
  }

  #dispatch(
    page: PageInput,
    type: "mousePressed" | "mouseReleased",
    button: MouseButton,
    clickCount: number,
    modifiers: number,
  ): void {
    const [x, y] = this.#position;
    page.send("Input.dispatchMouseEvent", {
      type,
      x,
      y,
      button,
      buttons: this.#buttons,
      clickCount,
      modifiers,
    });
  }
}

export function wheelDeltas(notches: number): number[] {
  const events = Math.min(Math.abs(notches), MAX_WHEEL_EVENTS);
  return Array.from({ length: events }, () => (notches * PIXELS_PER_NOTCH) / events);
}

function nameButton(buttons: number): keyof typeof BUTTON_BITS {
  if ((buttons & BUTTON_BITS.left) !== 0) return "left";
  if ((buttons & BUTTON_BITS.right) !== 0) return "right";
  return (buttons & BUTTON_BITS.middle) === 0 ? "none" : "middle";
}

function opensBackgroundTab(button: MouseButton, modifiers: number): boolean {
  if ((modifiers & MODIFIER.Shift) !== 0) return false;
  return button === "middle" || (button === "left" && (modifiers & MODIFIER.Control) !== 0);
}
