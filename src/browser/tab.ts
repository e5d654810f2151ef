import { type CDPSession, CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import { ProtocolError } from "@cloudflare/puppeteer/internal/common/Errors.js";
import type { TargetInfo } from "./attached-targets.ts";

/** A dialog that a page's script has opened: the page stands still until it is answered. */
export interface Dialog {
  kind: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  /** What a prompt's field begins with. */
  defaultText: string;
  /** Of the frame that opened it. */
  url: string;
}

/** A page of the browser as the control connection sees it. */
export class Tab {
  readonly id: string;
  readonly session: CDPSession;
  /** Resolves when the tab is gone, or the connection to its browser. */
  readonly closed: Promise<void>;
  readonly #onChange: () => void;
  title: string;
  url: string;
  isLoading = false;
  hasCrashed = false;
  /** The dialog that is open in it. */
  dialog: Dialog | undefined;
  #dialogOpened = Promise.withResolvers<void>();

  /** @param onChange called when anything that can be seen of the tab has changed. */
  constructor(session: CDPSession, target: TargetInfo, onChange: () => void) {
    this.id = target.targetId;
    this.session = session;
    this.title = target.title;
    this.url = target.url;
    this.#onChange = onChange;
    this.closed = new Promise((resolve) => session.once(CDPSessionEvent.Disconnected, () => resolve()));
  }

  /** Begins to follow the page's dialogs, loading and crashes. */
  async follow(): Promise<void> {
    const { session } = this;
    session.on("Page.javascriptDialogOpening", ({ type, message, defaultPrompt, url }) => {
      this.dialog = { kind: type, message, defaultText: defaultPrompt ?? "", url };
      this.#dialogOpened.resolve();
      this.#onChange();
    });
    session.on("Page.javascriptDialogClosed", () => {
      this.dialog = undefined;
      this.#dialogOpened = Promise.withResolvers();
      this.#onChange();
    });
    session.on("Page.frameStartedLoading", ({ frameId }) => this.#hearLoading(frameId, true));
    session.on("Page.frameStoppedLoading", ({ frameId }) => this.#hearLoading(frameId, false));
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.parentId !== undefined) return;
      this.hasCrashed = false;
      this.url = frame.url;
      this.#onChange();
    });
    session.on("Inspector.targetCrashed", () => {
      this.hasCrashed = true;
      this.isLoading = false;
      this.#onChange();
    });
    await Promise.all([session.send("Page.enable"), session.send("Inspector.enable")]);
  }

  /** Takes the browser's news of title and address. */
  hearInfo({ title, url }: TargetInfo): void {
    if (title === this.title && url === this.url) return;
    this.title = title;
    this.url = url;
    this.#onChange();
  }

  /** Resolves when a dialog is open; never rejects. */
  get dialogOpened(): Promise<void> {
    return this.#dialogOpened.promise;
  }

  /** Answers the open dialog; one that was answered meanwhile is fine. */
  async answerDialog(accept: boolean, promptText?: string): Promise<void> {
    if (this.dialog === undefined) return;
    await this.session.send("Page.handleJavaScriptDialog", { accept, promptText }).catch((error) => {
      if (this.dialog !== undefined) throw error;
    });
  }

  /** Goes to an address; resolves when the browser has taken it, not when the page has loaded. */
  async navigate(url: string): Promise<void> {
    await this.session.send("Page.navigate", { url });
  }

  async reload(options: { ignoreCache: boolean }): Promise<void> {
    await this.session.send("Page.reload", options);
  }

  async stopLoading(): Promise<void> {
    await this.session.send("Page.stopLoading");
  }

  /** Goes so many steps forward, or back when negative, in the tab's history; nothing when it does not reach. */
  async goInHistory(steps: number): Promise<void> {
    const { entries, currentIndex } = await this.session.send("Page.getNavigationHistory");
    const entry = entries[currentIndex + steps];
    if (entry !== undefined) await this.session.send("Page.navigateToHistoryEntry", { entryId: entry.id });
  }

  /** Whether the tab's history goes back and forward from here. */
  async readHistory(): Promise<{ canGoBack: boolean; canGoForward: boolean }> {
    const history = await this.session.send("Page.getNavigationHistory").catch((error: unknown) => {
      // A page that has only just opened has none yet.
      if (error instanceof ProtocolError) return { entries: [], currentIndex: 0 };
      throw error;
    });
    const { entries, currentIndex } = history;
    return { canGoBack: currentIndex > 0, canGoForward: currentIndex < entries.length - 1 };
  }

  #hearLoading(frameId: string, isLoading: boolean): void {
    // The id of a page's main frame is the page's own.
    if (frameId !== this.id || this.isLoading === isLoading) return;
    this.isLoading = isLoading;
    this.#onChange();
  }
}
