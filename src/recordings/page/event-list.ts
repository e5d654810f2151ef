import { find } from "./elements.ts";
import { formatTime, type Item } from "./items.ts";

const MAX_ROWS = 5000;

const EVERYTHING = "Everything";
const ERRORS = "Errors";

/** The items as a list that follows the video. */
export class EventList {
  readonly #list = find("#list", HTMLElement);
  readonly #filter = find("#filter", HTMLSelectElement);
  readonly #template = find("#item", HTMLTemplateElement);
  readonly #onSeek: (time: number) => void;
  #items: readonly Item[] = [];
  #rows: { time: number; button: HTMLElement }[] = [];
  #current: HTMLElement | undefined;

  constructor(onSeek: (time: number) => void) {
    this.#onSeek = onSeek;
    this.#filter.addEventListener("change", () => this.#render());
  }

  show(items: readonly Item[]): void {
    this.#items = items;
    const kinds = [...new Set(items.map(({ kind }) => kind))].sort();
    this.#filter.replaceChildren(
      ...[EVERYTHING, ERRORS, ...kinds].map(
        (name, index) => new Option(name, index < 2 ? name : `kind:${name}`),
      ),
    );
    this.#render();
  }

  moveTo(time: number): void {
    const current = this.#rows.findLast((row) => row.time <= time + 0.05)?.button;
    if (current === this.#current) return;
    this.#current?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "true");
    this.#current = current;
    // A list that is being used does not scroll away.
    if (!this.#list.matches(":hover, :focus-within")) current?.scrollIntoView({ block: "nearest" });
  }

  #render(): void {
    const chosen = this.#filter.value;
    const shown = this.#items.filter(
      ({ kind, isError }) =>
        chosen === EVERYTHING || (chosen === ERRORS && isError) || chosen === `kind:${kind}`,
    );
    this.#rows = shown.slice(0, MAX_ROWS).map((item) => ({ time: item.time, button: this.#row(item) }));
    this.#list.replaceChildren(...this.#rows.map(({ button }) => button.parentElement ?? button));
    find("#empty", HTMLElement).hidden = shown.length > 0;
    this.#current = undefined;
  }

  #row({ time, kind, text, isError }: Item): HTMLElement {
    const row = document.importNode(this.#template.content, true);
    const button = find("button", HTMLButtonElement, row);
    button.classList.toggle("is-error", isError);
    find(".time", HTMLElement, row).textContent = formatTime(time);
    find(".kind", HTMLElement, row).textContent = kind;
    find(".text", HTMLElement, row).textContent = text;
    button.addEventListener("click", () => this.#onSeek(time));
    return button;
  }
}
