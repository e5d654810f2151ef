import { find } from "../elements.ts";
import type { Notice } from "./notice.ts";

const TOAST_MS = 6000;
const OFFER_MS = 30_000;
const MAX_TOASTS = 4;

export class Status {
  readonly #notice = find("#notice", HTMLElement);
  readonly #title = find("#notice-title", HTMLElement);
  readonly #text = find("#notice-text", HTMLElement);
  readonly #action = find("#notice-action", HTMLButtonElement);
  readonly #announcer = find("#connection-state", HTMLElement);
  readonly #toasts = find("#toasts", HTMLElement);
  #present: Notice | undefined;

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
    const toast = document.createElement("p");
    toast.className = "toast";
    toast.append(file ? Object.assign(document.createElement("a"), file, { textContent: message }) : message);
    const same = [...this.#toasts.children].find(({ textContent }) => textContent === message);
    same?.remove();
    if (this.#toasts.childElementCount >= MAX_TOASTS) this.#toasts.firstElementChild?.remove();
    this.#toasts.append(toast);
    setTimeout(() => toast.remove(), file === undefined ? TOAST_MS : OFFER_MS);
  }
}
