import { evaluateIsolated, type RemoteBrowser, type Tab, zoomTab } from "../../platform/browser/index.ts";
import type { BrowserAction } from "./shortcuts.ts";
import { LineField } from "./text-field.ts";
import { readTypedAddress } from "./typed-address.ts";

/** A dialog of the page can delay the end of a tab. */
const CLOSE_TIMEOUT_MS = 2000;

const FIND_TIMEOUT_MS = 5000;

interface OpenField {
  kind: "address" | "find";
  tab: Tab;
  line: LineField;
}

/** The browser around a page: tabs, history, zoom, address and find bar (not drawn, but working). */
export class BrowserActions {
  readonly #homeURL: () => string;
  readonly #hasFields: boolean;
  #open: OpenField | undefined;
  #lastFound = "";

  constructor(homeURL: () => string, { hasFields = true } = {}) {
    this.#homeURL = homeURL;
    this.#hasFields = hasFields;
  }

  fieldOver(tab: Tab): OpenField | undefined {
    return this.#open?.tab === tab ? this.#open : undefined;
  }

  leaveField(): void {
    this.#open = undefined;
  }

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
