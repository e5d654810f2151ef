import type { FocusedFieldView, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { find } from "../elements.ts";
import type { TextInput } from "./text-input.ts";

export interface FieldPickerOptions {
  bar: HTMLFormElement;
  textInput: TextInput;
  act: (message: ViewerMessage) => void;
}

/** Offers the phone's own keyboard or picker for the remote field that a tap has focused. */
export class FieldPicker {
  readonly #options: FieldPickerOptions;
  readonly #choice: HTMLSelectElement;
  readonly #value: HTMLInputElement;

  constructor(options: FieldPickerOptions) {
    this.#options = options;
    this.#choice = find("select", HTMLSelectElement, options.bar);
    this.#value = find("input", HTMLInputElement, options.bar);
    this.#choice.addEventListener("change", () => this.#fill(String(this.#choice.selectedIndex)));
    this.#value.addEventListener("change", () => this.#fill(this.#value.value));
    options.bar.addEventListener("submit", (event) => {
      event.preventDefault();
      this.show(null);
    });
  }

  show(field: FocusedFieldView | null): void {
    const { bar, textInput } = this.#options;
    const isPicked = field?.kind === "choice" || field?.kind === "picker";
    bar.hidden = !isPicked;
    if (field?.kind === "text") textInput.focus(field.inputMode);
    else if (textInput.hasFocus) textInput.blur();
    if (!isPicked) return;
    this.#choice.hidden = field.kind !== "choice";
    this.#value.hidden = field.kind !== "picker";
    if (field.kind === "choice") {
      this.#choice.replaceChildren(...field.options.map((text) => new Option(text)));
      this.#choice.selectedIndex = field.selected;
    } else {
      this.#value.type = field.type;
      this.#value.value = field.value;
    }
    const control = field.kind === "choice" ? this.#choice : this.#value;
    control.focus();
    try {
      control.showPicker();
    } catch {
      // Too long after the tap; the person taps the control.
    }
  }

  #fill(value: string): void {
    this.#options.act({ type: "fill-field", value });
    this.show(null);
  }
}
