import type { TabView, ViewerMessage } from "../protocol.ts";
import { find, instantiate } from "./elements.ts";

export interface TabStripOptions {
  list: HTMLElement;
  template: HTMLTemplateElement;
  newTab: HTMLButtonElement;
  /** What the person asks of the remote browser. */
  act: (message: ViewerMessage) => void;
}

interface Tab {
  item: HTMLElement;
  open: HTMLButtonElement;
  title: HTMLElement;
  close: HTMLButtonElement;
}

/** The remote browser's tabs. */
export class TabStrip {
  readonly #options: TabStripOptions;
  readonly #tabs = new Map<string, Tab>();
  #active: string | null = null;

  constructor(options: TabStripOptions) {
    this.#options = options;
    options.newTab.addEventListener("click", () => options.act({ type: "open-tab" }));
  }

  show(tabs: readonly TabView[], active: string | null, canControl: boolean): void {
    this.#options.newTab.disabled = !canControl;
    const lostFocus = this.#remove(tabs);
    for (const [index, view] of tabs.entries()) {
      const tab = this.#tabs.get(view.id) ?? this.#create(view.id);
      update(tab, view, view.id === active, canControl);
      // Elements in their place are left alone: one that is moved loses the focus.
      const present = this.#options.list.children[index] ?? null;
      if (present !== tab.item) this.#options.list.insertBefore(tab.item, present);
    }
    const front = active === null ? undefined : this.#tabs.get(active);
    if (active !== this.#active && front !== undefined) scrollTo(this.#options.list, front.item);
    this.#active = active;
    if (lostFocus) (front?.open ?? this.#options.newTab).focus();
  }

  /** Takes away the tabs that are gone; true when the focus was in one of them. */
  #remove(tabs: readonly TabView[]): boolean {
    let lostFocus = false;
    for (const [id, { item }] of this.#tabs) {
      if (tabs.some((view) => view.id === id)) continue;
      lostFocus ||= item.contains(document.activeElement);
      item.remove();
      this.#tabs.delete(id);
    }
    return lostFocus;
  }

  #create(id: string): Tab {
    const { template, act } = this.#options;
    const item = instantiate(template, HTMLElement);
    const tab: Tab = {
      item,
      open: find(".tab-open", HTMLButtonElement, item),
      title: find(".tab-title", HTMLElement, item),
      close: find(".tab-close", HTMLButtonElement, item),
    };
    tab.open.addEventListener("click", () => act({ type: "activate-tab", tab: id }));
    tab.close.addEventListener("click", () => act({ type: "close-tab", tab: id }));
    item.addEventListener("auxclick", ({ button }) => {
      if (button === 1 && !tab.close.disabled) act({ type: "close-tab", tab: id });
    });
    this.#tabs.set(id, tab);
    return tab;
  }
}

function update({ item, open, title, close }: Tab, view: TabView, isActive: boolean, canControl: boolean) {
  const name = tabName(view);
  item.classList.toggle("is-active", isActive);
  item.classList.toggle("is-loading", view.isLoading);
  item.classList.toggle("has-crashed", view.hasCrashed);
  title.textContent = name;
  open.title = view.url === "" ? name : `${name}\n${view.url}`;
  open.ariaCurrent = isActive ? "true" : "false";
  open.ariaLabel = view.hasCrashed ? `${name} (crashed)` : name;
  open.disabled = !canControl;
  close.ariaLabel = `Close tab: ${name}`;
  close.disabled = !canControl;
}

/** What a tab is called. */
export function tabName({ title, url }: TabView): string {
  // A browser takes the address for the title of a page without one.
  if (url === "about:blank" && (title === "" || title === url)) return "New tab";
  return title || url || "New tab";
}

/** Scrolls the list alone, which has a position in CSS: scrollIntoView() also scrolls a page that this one is embedded in. */
function scrollTo(list: HTMLElement, item: HTMLElement): void {
  const start = item.offsetLeft;
  const end = start + item.offsetWidth;
  if (start < list.scrollLeft) list.scrollLeft = start;
  else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
}
