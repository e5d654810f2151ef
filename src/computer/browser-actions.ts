import { evaluateIsolated, type RemoteBrowser, type Tab, zoomTab } from "../browser/index.ts";
import { LineField } from "./line-field.ts";
import type { BrowserAction } from "./shortcuts.ts";
import { readTypedAddress } from "./typed-address.ts";

/** How long the end of a tab is waited for; its page may hold it by a dialog. */
const CLOSE_TIMEOUT_MS = 2000;

/** How long a page may search; a search that takes longer goes on by itself. */
const FIND_TIMEOUT_MS = 5000;

interface OpenField {
  kind: "address" | "find";
  tab: Tab;
  line: LineField;
}

/**
 * What a browser's window does beside its page: tabs, history, zoom, and the two fields of its own that take the
 * keyboard, the address bar and the find bar. Nobody sees them; what is typed into them does what it does there.
 */
export class BrowserActions {
  readonly #homeURL: () => string;
  readonly #hasFields: boolean;
  #open: OpenField | undefined;
  #lastFound = "";

  /**
   * @param homeURL where the home key leads.
   * @param options.hasFields whether the two fields are there; a viewer has others to type into.
   */
  constructor(homeURL: () => string, { hasFields = true } = {}) {
    this.#homeURL = homeURL;
    this.#hasFields = hasFields;
  }

  /** The field that has the keyboard while this tab is in front. */
  fieldOver(tab: Tab): OpenField | undefined {
    return this.#open?.tab === tab ? this.#open : undefined;
  }

  /** Gives the keyboard back to the page. */
  leaveField(): void {
    this.#open = undefined;
  }

  /** Opens what was typed into the address bar, or finds what was typed into the find bar. */
  async submitField(field: OpenField, backwards: boolean): Promise<void> {
    if (field.kind === "find") return this.#find(field.tab, field.line.text, backwards);
    this.leaveField();
    await field.tab.navigate(readTypedAddress(field.line.text));
  }

  async run(action: BrowserAction, browser: RemoteBrowser, tab: Tab): Promise<void> {
    switch (action) {
      case "new-tab":
        return this.#focus("address", await browser.tabs.open("about:blank"), "");
      case "close-tab":
        return closeTab(browser, tab);
      case "next-tab":
        return activateBeside(browser, tab, 1);
      case "previous-tab":
        return activateBeside(browser, tab, -1);
      case "reload":
        return tab.reload({ ignoreCache: false });
      case "hard-reload":
        return tab.reload({ ignoreCache: true });
      case "back":
        return tab.goInHistory(-1);
      case "forward":
        return tab.goInHistory(1);
      case "home":
        return tab.navigate(this.#homeURL());
      case "stop":
        return tab.stopLoading();
      case "zoom-in":
        return zoomTab(tab, "in");
      case "zoom-out":
        return zoomTab(tab, "out");
      case "zoom-reset":
        return zoomTab(tab, "reset");
      case "focus-address-bar":
        return this.#focus("address", tab, tab.url);
      case "find":
        return this.#focus("find", tab, this.#lastFound);
      case "find-next":
        return this.#find(tab, this.#lastFound, false);
      case "find-previous":
        return this.#find(tab, this.#lastFound, true);
    }
  }

  /** Changes to a tab by its place, -1 being the last; nothing when there is none. */
  async activateAt(index: number, browser: RemoteBrowser): Promise<void> {
    const tab = browser.tabs.all().at(index);
    if (tab !== undefined) await browser.tabs.activate(tab);
  }

  #focus(kind: OpenField["kind"], tab: Tab, text: string): void {
    if (this.#hasFields) this.#open = { kind, tab, line: new LineField(text) };
  }

  async #find(tab: Tab, text: string, backwards: boolean): Promise<void> {
    this.#lastFound = text;
    if (text === "") return;
    const search = `window.find(${JSON.stringify(text)}, false, ${backwards}, true)`;
    await tab.waitFor(evaluateIsolated(tab.session, tab.id, search), FIND_TIMEOUT_MS);
  }
}

async function closeTab(browser: RemoteBrowser, tab: Tab): Promise<void> {
  await browser.tabs.close(tab);
  await tab.waitForEnd(CLOSE_TIMEOUT_MS);
}

async function activateBeside(browser: RemoteBrowser, tab: Tab, steps: 1 | -1): Promise<void> {
  const tabs = browser.tabs.all();
  const next = tabs.at((tabs.indexOf(tab) + steps) % tabs.length);
  if (next !== undefined) await browser.tabs.activate(next);
}
