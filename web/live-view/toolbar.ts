import type { TabView, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { find } from "../elements.ts";
import { parseAddress } from "./address.ts";

export interface ToolbarOptions {
  toolbar: HTMLElement;
  act: (message: ViewerMessage) => void;
  onOpened: () => void;
}

export interface ToolbarView {
  activeTab: TabView | undefined;
  canGoBack: boolean;
  canGoForward: boolean;
  canControl: boolean;
}

export class Toolbar {
  readonly #options: ToolbarOptions;
  readonly #back: HTMLButtonElement;
  readonly #forward: HTMLButtonElement;
  readonly #reload: HTMLButtonElement;
  readonly #address: HTMLInputElement;
  readonly #refusal: HTMLElement;
  #isLoading = false;
  #url = "";

  constructor(options: ToolbarOptions) {
    this.#options = options;
    const { toolbar, act } = options;
    this.#back = find("#back", HTMLButtonElement, toolbar);
    this.#forward = find("#forward", HTMLButtonElement, toolbar);
    this.#reload = find("#reload", HTMLButtonElement, toolbar);
    this.#address = find("#address", HTMLInputElement, toolbar);
    this.#refusal = find("#address-refusal", HTMLElement, toolbar);
    this.#back.addEventListener("click", () => act({ type: "back" }));
    this.#forward.addEventListener("click", () => act({ type: "forward" }));
    this.#reload.addEventListener("click", () => act({ type: this.#isLoading ? "stop" : "reload" }));
    this.#listenToAddress(find("#address-form", HTMLFormElement, toolbar));
  }

  show({ activeTab, canGoBack, canGoForward, canControl }: ToolbarView): void {
    const canNavigate = canControl && activeTab !== undefined;
    this.#isLoading = activeTab?.isLoading ?? false;
    this.#back.disabled = !canNavigate || !canGoBack;
    this.#forward.disabled = !canNavigate || !canGoForward;
    this.#reload.disabled = !canNavigate;
    this.#reload.ariaLabel = this.#isLoading ? "Stop" : "Reload";
    this.#reload.title = this.#reload.ariaLabel;
    this.#options.toolbar.classList.toggle("is-loading", this.#isLoading);
    this.#address.readOnly = !canNavigate;
    this.#url = activeTab === undefined || activeTab.url === "about:blank" ? "" : activeTab.url;
    if (document.activeElement !== this.#address) this.#address.value = this.#url;
  }

  focusAddress(): void {
    this.#address.focus();
    this.#address.select();
  }

  #listenToAddress(form: HTMLFormElement): void {
    const address = this.#address;
    let isFresh = false;
    address.addEventListener("focus", () => {
      isFresh = true;
      address.select();
    });
    address.addEventListener("click", () => {
      // The focusing click has placed a caret instead of selecting all.
      if (isFresh && address.selectionStart === address.selectionEnd) address.select();
      isFresh = false;
    });
    address.addEventListener("blur", () => {
      // Keeps the typed text while another window has the focus.
      if (document.hasFocus()) this.#restore();
    });
    address.addEventListener("input", () => this.#refuse(""));
    address.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      this.#restore();
      address.select();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!address.readOnly) this.#open();
    });
  }

  #open(): void {
    const parsed = parseAddress(this.#address.value);
    if ("refusal" in parsed) {
      this.#refuse(parsed.refusal);
      return;
    }
    this.#options.act({ type: "navigate", url: parsed.url });
    this.#url = parsed.url;
    this.#options.onOpened();
  }

  #restore(): void {
    this.#address.value = this.#url;
    this.#refuse("");
  }

  #refuse(refusal: string): void {
    this.#refusal.textContent = refusal;
    this.#refusal.hidden = refusal === "";
    this.#address.ariaInvalid = refusal === "" ? null : "true";
  }
}
