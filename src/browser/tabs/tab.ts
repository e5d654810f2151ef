import type { TargetInfo } from "../connection/attached-targets.ts";
import { type CDPSession, CDPSessionEvent, ProtocolError } from "../connection/puppeteer.ts";

/** How long a site is waited for when a tab goes to it: what is done next is done there, if it answers at once. */
const ANSWER_TIMEOUT_MS = 2000;

/** How long a page that is to be reloaded may take to answer before its script is ended. */
const RELOAD_TIMEOUT_MS = 300;

/**
 * A dialog over a page. Until it is answered, a page whose script has opened it stands still; one whose file input
 * has opened a file chooser goes on.
 */
export interface Dialog {
  /** Tells it from the tab's next one. */
  id: number;
  kind: "alert" | "confirm" | "prompt" | "beforeunload" | "file";
  message: string;
  /** What the field of a prompt, or of a file chooser, begins with. */
  defaultText: string;
  /** Of the frame that opened it. */
  url: string;
}

/** Answers a file chooser. @param path what its field holds; undefined when it is dismissed. */
type AnswerFileChooser = (path: string | undefined) => Promise<void>;

/** A page of the browser as the control connection sees it. */
export class Tab {
  readonly id: string;
  readonly session: CDPSession;
  readonly #onChange: () => void;
  /** Called when a dialog opens, and when the tab is gone. */
  readonly #interruptions = new Set<() => void>();
  title: string;
  url: string;
  isLoading = false;
  hasCrashed = false;
  /** The dialog that is open in it. */
  dialog: Dialog | undefined;
  /** Of the browser's context that it is in. */
  readonly contextId: string | undefined;
  /** When Berth itself last gave the page input, in milliseconds since the epoch. */
  lastInputAt = 0;
  #dialogId = 0;
  #answerFileChooser: AnswerFileChooser | undefined;
  #isGone = false;

  /**
   * @param onChange called when anything that can be seen of the tab has changed.
   * @param onGone called when it has closed, or the connection to its browser.
   */
  constructor(session: CDPSession, target: TargetInfo, onChange: () => void, onGone: () => void) {
    this.id = target.targetId;
    this.session = session;
    this.title = target.title;
    this.url = target.url;
    this.contextId = target.browserContextId;
    this.#onChange = onChange;
    session.once(CDPSessionEvent.Disconnected, () => {
      this.#isGone = true;
      this.#interrupt();
      onGone();
    });
  }

  /** Begins to follow the page's dialogs, loading and crashes. */
  async follow(): Promise<void> {
    const { session } = this;
    session.on("Page.javascriptDialogOpening", ({ type, message, defaultPrompt, url }) => {
      this.#openDialog({ kind: type, message, defaultText: defaultPrompt ?? "", url });
    });
    session.on("Page.javascriptDialogClosed", () => {
      this.dialog = undefined;
      this.#onChange();
    });
    session.on("Page.frameStartedLoading", ({ frameId }) => this.#hearLoading(frameId, true));
    session.on("Page.frameStoppedLoading", ({ frameId }) => this.#hearLoading(frameId, false));
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.parentId !== undefined) return;
      this.hasCrashed = false;
      this.url = frame.url;
      this.closeFileChooser();
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

  /**
   * Waits for work of the page's, but no longer than until a dialog holds it up, or the tab is gone. Not a race of
   * promises: each would stay with the one that lasts, and all that was waited for with it.
   *
   * @returns what the work came to, `"interrupted"`, or `"late"` when the time is up. The work itself goes on.
   */
  async waitFor<T>(work: Promise<T>, limitMs: number): Promise<{ value: T } | "interrupted" | "late"> {
    const outcome = Promise.withResolvers<{ value: T } | "interrupted" | "late">();
    const interrupt = () => outcome.resolve("interrupted");
    const timer = setTimeout(() => outcome.resolve("late"), limitMs);
    this.#interruptions.add(interrupt);
    work.then((value) => outcome.resolve({ value }), outcome.reject);
    if (this.dialog !== undefined || this.#isGone) interrupt();
    try {
      return await outcome.promise;
    } finally {
      clearTimeout(timer);
      this.#interruptions.delete(interrupt);
    }
  }

  /** Waits for the tab's end, or a dialog that holds it up. */
  async waitForEnd(limitMs: number): Promise<void> {
    await this.waitFor(new Promise<never>(() => undefined), limitMs);
  }

  /** Opens a file chooser, unless a script of the page's has a dialog open. */
  openFileChooser(chooser: { message: string; defaultText: string }, answer: AnswerFileChooser): void {
    if (this.dialog !== undefined && this.dialog.kind !== "file") return;
    this.#answerFileChooser = answer;
    this.#openDialog({ ...chooser, kind: "file", url: this.url });
  }

  /** Takes away a file chooser that nobody needs any more. */
  closeFileChooser(): void {
    if (this.dialog?.kind !== "file") return;
    this.dialog = undefined;
    this.#onChange();
  }

  /** Answers the open dialog; one that was answered meanwhile is fine. */
  async answerDialog(accept: boolean, promptText?: string): Promise<void> {
    if (this.dialog === undefined) return;
    if (this.dialog.kind === "file") {
      this.closeFileChooser();
      await this.#answerFileChooser?.(accept ? (promptText ?? "") : undefined);
      return;
    }
    await this.session.send("Page.handleJavaScriptDialog", { accept, promptText }).catch((error) => {
      if (this.dialog !== undefined) throw error;
    });
  }

  /** Goes to an address; waits for the site's first answer, but not for long, and never for the page to load. */
  async navigate(url: string): Promise<void> {
    await this.waitFor(this.session.send("Page.navigate", { url }), ANSWER_TIMEOUT_MS);
  }

  /** Loads the page anew, also one whose script never ends: it would not be left before. */
  async reload(options: { ignoreCache: boolean }): Promise<void> {
    if (!this.hasCrashed) await this.#endScriptsWithoutEnd();
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

  async #endScriptsWithoutEnd(): Promise<void> {
    const { session } = this;
    const answer = session.send("Runtime.evaluate", { expression: "0" }).catch(() => undefined);
    if ((await this.waitFor(answer, RELOAD_TIMEOUT_MS)) !== "late") return;
    // It may have ended by itself meanwhile.
    await session.send("Runtime.terminateExecution").catch(() => undefined);
  }

  #openDialog(dialog: Omit<Dialog, "id">): void {
    this.#dialogId += 1;
    this.dialog = { ...dialog, id: this.#dialogId };
    this.#interrupt();
    this.#onChange();
  }

  #interrupt(): void {
    for (const interrupt of [...this.#interruptions]) interrupt();
  }

  #hearLoading(frameId: string, isLoading: boolean): void {
    // The id of a page's main frame is the page's own.
    if (frameId !== this.id || this.isLoading === isLoading) return;
    this.isLoading = isLoading;
    this.#onChange();
  }
}
