import type { RecordingItem } from "../../src/features/recordings/recording-document.ts";
import { find } from "../elements.ts";
import { formatTime } from "./items.ts";

const ALL = "all";
const ERRORS = "errors";

interface Row {
  item: RecordingItem;
  entry: HTMLElement;
  button: HTMLElement;
}

/** The items as a list that follows the video. */
export class EventList {
  readonly #list = find("#list", HTMLElement);
  readonly #search = find("#search", HTMLInputElement);
  readonly #filter = find("#filter", HTMLSelectElement);
  readonly #template = find("#item", HTMLTemplateElement);
  readonly #onSeek: (time: number) => void;
  #rows: Row[] = [];
  #current: HTMLElement | undefined;

  constructor(onSeek: (time: number) => void) {
    this.#onSeek = onSeek;
    this.#search.addEventListener("input", () => this.#choose());
    this.#filter.addEventListener("change", () => this.#choose());
    this.#list.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  show(items: readonly RecordingItem[]): void {
    const errors = items.filter(({ isError }) => isError).length;
    const categories = [...new Set(items.map(({ category }) => category))].sort();
    this.#filter.replaceChildren(
      new Option(`All (${items.length})`, ALL),
      new Option(`Errors (${errors})`, ERRORS),
      ...categories.map(
        (name) =>
          new Option(
            name.replace(/^./, (letter) => letter.toUpperCase()),
            name,
          ),
      ),
    );
    this.#rows = items.map((item) => this.#row(item));
    this.#list.replaceChildren(...this.#rows.map(({ entry }) => entry));
    this.#choose();
  }

  /** @param isJump show the current item even if the list is being used. */
  moveTo(time: number, isJump = false): void {
    const current = this.#shown.findLast(({ item }) => item.time <= time + 0.01)?.button;
    if (current === this.#current && !isJump) return;
    this.#current?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "true");
    this.#current = current;
    const isUsed = matchMedia("(hover: hover)").matches && this.#list.matches(":hover");
    if (isJump || !isUsed) current?.scrollIntoView({ block: "nearest" });
  }

  get #shown(): Row[] {
    return this.#rows.filter(({ entry }) => !entry.hidden);
  }

  #choose(): void {
    const chosen = this.#filter.value;
    const wanted = this.#search.value.trim().toLowerCase();
    for (const { item, entry } of this.#rows) {
      const { category, kind, text, url, isError } = item;
      const isChosen = chosen === ALL || (chosen === ERRORS ? isError : chosen === category);
      entry.hidden = !isChosen || !`${kind} ${text} ${url}`.toLowerCase().includes(wanted);
    }
    find("#empty", HTMLElement).hidden = this.#shown.length > 0;
  }

  #row(item: RecordingItem): Row {
    const { time, kind, text, url, isError } = item;
    const content = document.importNode(this.#template.content, true);
    const entry = find("li", HTMLElement, content);
    const button = find("button", HTMLElement, content);
    button.classList.toggle("is-error", isError);
    find(".time", HTMLElement, entry).textContent = formatTime(time);
    find(".kind", HTMLElement, entry).textContent = kind;
    find(".text", HTMLElement, entry).textContent = text;
    find(".url", HTMLElement, entry).textContent = url;
    button.addEventListener("click", () => this.#onSeek(time));
    return { item, entry, button };
  }

  #handleKey(event: KeyboardEvent): void {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    const shown = this.#shown;
    shown[shown.findIndex(({ button }) => button === event.target) + step]?.button.focus();
    event.preventDefault();
  }
}
