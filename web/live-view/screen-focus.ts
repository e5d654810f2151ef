import { leaveChordName } from "./keys.ts";
import type { TextInput } from "./text-input.ts";

export interface ScreenFocusOptions {
  surface: HTMLElement;
  canvas: HTMLCanvasElement;
  hint: HTMLElement;
  textInput: TextInput;
  isMac: boolean;
}

/**
 * The remote page's keyboard focus. The canvas is the tab stop and passes the focus to a text field, because
 * input methods and pasting need one. Touch devices are excluded: there it would open a soft keyboard.
 */
export class ScreenFocus {
  readonly #options: ScreenFocusOptions;
  readonly #hasSoftKeyboard = matchMedia("(pointer: coarse)");
  #isTouched = false;

  constructor(options: ScreenFocusOptions) {
    this.#options = options;
    const { surface, canvas, hint, textInput, isMac } = options;
    const leave = this.#hasSoftKeyboard.matches ? "" : ` ${leaveChordName(isMac)} returns them.`;
    hint.textContent = `Keys go to the remote browser.${leave}`;
    canvas.addEventListener("focus", () => {
      const cameByKeyboard = !this.#isTouched && canvas.matches(":focus-visible");
      if (!this.#isTouched && !this.#hasSoftKeyboard.matches) textInput.focus();
      surface.classList.toggle("is-entered-by-keyboard", cameByKeyboard);
    });
    surface.addEventListener("focusout", ({ relatedTarget }) => {
      const staysInside = relatedTarget instanceof Node && surface.contains(relatedTarget);
      if (!staysInside) surface.classList.remove("is-entered-by-keyboard");
    });
  }

  take(by: "mouse" | "finger"): void {
    const { canvas, textInput } = this.#options;
    if (by === "mouse") textInput.focus();
    else if (!textInput.hasFocus) {
      this.#isTouched = true;
      canvas.focus({ preventScroll: true });
      this.#isTouched = false;
    }
  }

  allow(canControl: boolean): void {
    const { canvas } = this.#options;
    canvas.tabIndex = canControl ? 0 : -1;
    canvas.role = canControl ? "application" : "img";
  }
}
