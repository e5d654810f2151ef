import { find } from "../elements.ts";
import type { Notice } from "./notice.ts";

const TOAST_MS = 6000;
const OFFER_MS = 30_000;

export class Status {
  readonly #notice = find("#notice", HTMLElement);
  readonly #title = find("#notice-title", HTMLElement);
  readonly #text = find("#notice-text", HTMLElement);
  readonly #action = find("#notice-action", HTMLButtonElement);
  readonly #announcer = find("#connection-state", HTMLElement);
  readonly #toast = find("#toast", HTMLElement);
  #present: Notice | undefined;
  #toastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(onAction: (does: "reload" | "open-tab") => void) {
    this.#action.addEventListener("click", () => {
      if (this.#present?.action) onAction(this.#present.action.does);
    });
  }

  show(notice: Notice | undefined): void {
    this.#present = notice;
    this.#notice.hidden = notice === undefined;
    this.#notice.className = `notice is-${notice?.kind ?? "none"}`;
    this.#notice.classList.toggle("is-busy", notice?.isBusy ?? false);
    this.#title.textContent = notice?.title ?? "";
    this.#text.textContent = notice?.text ?? "";
    this.#text.hidden = !notice?.text;
    this.#action.textContent = notice?.action?.label ?? "";
    this.#action.hidden = !notice?.action;
    const announcement = notice === undefined ? "Connected." : `${notice.title} ${notice.text}`.trim();
    // Setting the same text again would repeat the announcement.
    if (this.#announcer.textContent !== announcement) this.#announcer.textContent = announcement;
  }

  /** @param file a file that the message offers. */
  toast(message: string, file?: { href: string; download: string }): void {
    clearTimeout(this.#toastTimer);
    const link = Object.assign(document.createElement("a"), file, { textContent: message });
    const duration = file === undefined ? TOAST_MS : OFFER_MS;
    this.#toast.replaceChildren(file === undefined ? message : link);
    this.#toast.classList.add("is-shown");
    this.#toastTimer = setTimeout(() => {
      this.#toast.classList.remove("is-shown");
      this.#toast.textContent = "";
    }, duration);
  }
}
