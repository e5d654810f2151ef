import type { HandoffView, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { find } from "../elements.ts";
import { driverOf, timeLeft } from "./handoff-words.ts";

/** A request to the person, above the remote page. */
export class HandoffBanner {
  readonly #banner = find("#handoff", HTMLElement);
  readonly #text = find("#handoff-text", HTMLElement);
  readonly #driver = find("#handoff-driver", HTMLElement);
  readonly #form = find("#handoff-form", HTMLFormElement);
  readonly #note = find("#handoff-note", HTMLInputElement);
  #shown = "";

  constructor(act: (message: ViewerMessage) => void) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      act({ type: "complete-handoff", handoff: this.#shown, note: this.#note.value });
    });
  }

  show(handoff: HandoffView | null, canControl: boolean): void {
    this.#banner.hidden = handoff === null;
    this.#form.hidden = !canControl;
    if (handoff === null) return;
    const { handoff_id, instructions, pause_agent, expires_at } = handoff;
    this.#driver.textContent = `${driverOf(pause_agent, canControl)} ${timeLeft(Date.parse(expires_at))}.`;
    if (this.#shown === handoff_id) return;
    this.#shown = handoff_id;
    this.#text.textContent = instructions;
    this.#note.value = "";
  }
}
