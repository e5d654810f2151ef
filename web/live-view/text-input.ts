import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import type { Point } from "./coordinates.ts";
import { messagesOfChange } from "./text-change.ts";

/** Soft keyboards send no Backspace in an empty field. */
const FILLING = "_";
const MAX_PASTE_LENGTH = 1_000_000;

export interface TextInputOptions {
  field: HTMLTextAreaElement;
  surface: HTMLElement;
  canControl: () => boolean;
  send: (message: ViewerMessage) => void;
  onRefused: (message: string) => void;
}

export class TextInput {
  readonly #options: TextInputOptions;
  /** Soft keyboards compose whole words, which are sent as they grow. Drafts of input methods are not. */
  readonly #isTypedLive = matchMedia("(pointer: coarse)");
  #sent = FILLING;

  constructor(options: TextInputOptions) {
    this.#options = options;
    const { field, surface } = options;
    this.#fill();
    field.addEventListener("input", (event) => {
      const isDraft = event instanceof InputEvent && event.isComposing;
      if (!isDraft || this.#isTypedLive.matches) this.#sendChange();
      if (!isDraft) this.#fill();
    });
    field.addEventListener("compositionend", () => {
      this.#sendChange();
      this.#fill();
    });
    surface.addEventListener("paste", (event) => this.#paste(event));
  }

  get hasFocus(): boolean {
    return document.activeElement === this.#options.field;
  }

  /** @param inputMode chooses the soft keyboard. */
  focus(inputMode = "text"): void {
    this.#options.field.inputMode = inputMode;
    this.#options.field.focus({ preventScroll: true });
  }

  blur(): void {
    this.#options.field.blur();
  }

  /** Input methods show their choices beside the field. */
  moveTo({ x, y }: Point): void {
    this.#options.field.style.left = `${x}px`;
    this.#options.field.style.top = `${y}px`;
  }

  #sendChange(): void {
    const { field, send } = this.#options;
    for (const message of messagesOfChange(this.#sent, field.value)) send(message);
    this.#sent = field.value;
  }

  #fill(): void {
    this.#options.field.value = FILLING;
    this.#sent = FILLING;
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault();
    if (!this.#options.canControl()) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length > MAX_PASTE_LENGTH) this.#options.onRefused("That text is too long to paste.");
    else if (text !== "") this.#options.send({ type: "paste", text });
  }
}
