import { MODIFIER } from "./keys.ts";
import type { Point } from "./mouse-path.ts";
import type { PageInput } from "./page-input.ts";

/** Bits of `MouseEvent.buttons`. */
const BUTTON_BITS = { none: 0, left: 1, right: 2, middle: 4, back: 8, forward: 16 } as const;

const BUTTONS = ["left", "right", "middle", "back", "forward"] as const;

export type MouseButton = (typeof BUTTONS)[number];

/** A wheel's notch in CSS pixels, as Chrome on Linux scrolls for one. */
const PIXELS_PER_NOTCH = 120;

/** A turn of more notches comes in fewer, longer events. */
const MAX_WHEEL_EVENTS = 25;

/** The session's mouse: where it is, and which of its buttons are down. */
export class Mouse {
  #position: Point = [0, 0];
  #buttons = 0;

  get position(): Point {
    return this.#position;
  }

  /** Whether any button is down. */
  get isPressed(): boolean {
    return this.#buttons !== 0;
  }

  /** Whether this button is down. */
  holds(button: MouseButton): boolean {
    return (this.#buttons & BUTTON_BITS[button]) !== 0;
  }

  /** Moves it; the page takes moves once per picture that it paints, so nobody waits for one alone. */
  move(page: PageInput, [x, y]: Point, modifiers: number): void {
    this.#position = [x, y];
    if (page.isBehind) return;
    page.send("Input.dispatchMouseEvent", {
      type: "mouseMoved",
      x,
      y,
      modifiers,
      buttons: this.#buttons,
      button: nameButton(this.#buttons),
    });
  }

  /** @param clickCount 2 for the second press of a double click, and so on. */
  press(page: PageInput, button: MouseButton, clickCount: number, modifiers: number): void {
    this.#buttons |= BUTTON_BITS[button];
    if (opensTabBehind(button, modifiers)) page.expectTabBehind();
    this.#dispatch(page, "mousePressed", button, clickCount, modifiers);
  }

  release(page: PageInput, button: MouseButton, clickCount: number, modifiers: number): void {
    this.#buttons &= ~BUTTON_BITS[button];
    this.#dispatch(page, "mouseReleased", button, clickCount, modifiers);
  }

  /** Releases every button that is pressed. */
  releaseAll(page: PageInput): void {
    for (const button of BUTTONS) {
      if (this.holds(button)) this.release(page, button, 1, 0);
    }
  }

  /** Turns the wheel where the mouse is, in CSS pixels. */
  turnWheel(page: PageInput, deltaX: number, deltaY: number, modifiers: number): void {
    if (page.isBehind) return;
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

/** What so many notches of a wheel send, one event each: its pixels. */
export function wheelTurns(notches: number): number[] {
  const events = Math.min(Math.abs(notches), MAX_WHEEL_EVENTS);
  return Array.from({ length: events }, () => (notches * PIXELS_PER_NOTCH) / events);
}

/** The button that a move with these down is of. */
function nameButton(buttons: number): keyof typeof BUTTON_BITS {
  if ((buttons & BUTTON_BITS.left) !== 0) return "left";
  if ((buttons & BUTTON_BITS.right) !== 0) return "right";
  return (buttons & BUTTON_BITS.middle) === 0 ? "none" : "middle";
}

/** Whether such a click on a link opens it in a tab behind the one in front. */
function opensTabBehind(button: MouseButton, modifiers: number): boolean {
  if ((modifiers & MODIFIER.Shift) !== 0) return false;
  return button === "middle" || (button === "left" && (modifiers & MODIFIER.Control) !== 0);
}
