import type { TabView, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { find, instantiate } from "../elements.ts";

export interface TabStripOptions {
  list: HTMLElement;
  template: HTMLTemplateElement;
  newTab: HTMLButtonElement;
  act: (message: ViewerMessage) => void;
}

interface Tab {
  item: HTMLElement;
  open: HTMLButtonElement;
  title: HTMLElement;
  close: HTMLButtonElement;
}

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
      // Moving an element would lose its focus.
      const present = this.#options.list.children[index] ?? null;
      if (present !== tab.item) this.#options.list.insertBefore(tab.item, present);
    }
    const front = active === null ? undefined : this.#tabs.get(active);
    if (active !== this.#active && front !== undefined) scrollTo(this.#options.list, front.item);
    this.#active = active;
    if (lostFocus) (front?.open ?? this.#options.newTab).focus();
  }

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

export function tabName({ title, url }: TabView): string {
  // Browsers use the address as the title of a page without one.
  if (url === "about:blank" && (title === "" || title === url)) return "New tab";
  return title || url || "New tab";
}

/** scrollIntoView() would also scroll a page that embeds this one. The list is positioned in CSS. */
function scrollTo(list: HTMLElement, item: HTMLElement): void {
  const start = item.offsetLeft;
  const end = start + item.offsetWidth;
  if (start < list.scrollLeft) list.scrollLeft = start;
  else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
}
