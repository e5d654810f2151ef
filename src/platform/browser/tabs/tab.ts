import { requireOpenable } from "../allowed-urls.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { addIsolatedScript } from "../connection/isolated-world.ts";
import { type CDPSession, CDPSessionEvent, ProtocolError } from "../connection/puppeteer.ts";

/** How long navigation waits for the site's first answer, so that following actions reach it. */
const ANSWER_TIMEOUT_MS = 2000;

const RELOAD_TIMEOUT_MS = 300;

/**
 * Keeps a page out of the back/forward cache: clients are not told about the loading and frames of a page
 * that returns from it, but wait for them. Chrome logs an error where a page forbids the listener.
 */
const LEAVE_CACHE = `if (window === top && document.featurePolicy?.allowsFeature("unload") !== false)
  addEventListener("unload", () => {})`;

/** A dialog of a page. Except for file choosers, the page's script is blocked until it is answered. */
export interface Dialog {
  id: number;
  kind: "alert" | "confirm" | "prompt" | "beforeunload" | "file";
  message: string;
  defaultText: string;
  url: string;
}

type AnswerFileChooser = (path: string | undefined) => Promise<void>;

export class Tab {
  readonly id: string;
  readonly session: CDPSession;
  readonly #onChange: () => void;
  readonly #interruptions = new Set<() => void>();
  title: string;
  url: string;
  isLoading = false;
  hasCrashed = false;
  dialog: Dialog | undefined;
  readonly contextId: string | undefined;
  /** Time of Berth's last input to the page, in milliseconds since the epoch. */
  lastInputAt = 0;
  #dialogId = 0;
  #answerFileChooser: AnswerFileChooser | undefined;
  #isGone = false;

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

  async follow(): Promise<void> {
    const { session } = this;
    session.on("Page.javascriptDialogOpening", ({ type, message, defaultPrompt, url }) => {
      this.#openDialog({ kind: type, message, defaultText: defaultPrompt ?? "", url });
    });
    session.on("Page.javascriptDialogClosed", () => {
      this.dialog = undefined;
      this.#onChange();
    });
    session.on("Page.frameStartedLoading", ({ frameId }) => this.#setLoading(frameId, true));
    session.on("Page.frameStoppedLoading", ({ frameId }) => this.#setLoading(frameId, false));
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
    await Promise.all([
      session.send("Page.enable"),
      session.send("Inspector.enable"),
      addIsolatedScript(session, LEAVE_CACHE),
    ]);
  }

  updateInfo({ title, url }: TargetInfo): void {
    if (title === this.title && url === this.url) return;
    this.title = title;
    this.url = url;
    this.#onChange();
  }

  /**
   * Waits until the work ends, a dialog opens or the tab closes. Promise.race would leak: each call would
   * stay attached to a long-lived promise.
   *
   * @returns the result, `"interrupted"`, or `"late"` after the time limit. The work itself continues.
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

  async waitForEnd(limitMs: number): Promise<void> {
    await this.waitFor(new Promise<never>(() => undefined), limitMs);
  }

  openFileChooser(chooser: { message: string; defaultText: string }, answer: AnswerFileChooser): void {
    if (this.dialog !== undefined && this.dialog.kind !== "file") return;
    this.#answerFileChooser = answer;
    this.#openDialog({ ...chooser, kind: "file", url: this.url });
  }

  closeFileChooser(): void {
    if (this.dialog?.kind !== "file") return;
    this.dialog = undefined;
    this.#onChange();
  }

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

  async navigate(url: string): Promise<void> {
    requireOpenable(url);
    await this.waitFor(this.session.send("Page.navigate", { url }), ANSWER_TIMEOUT_MS);
  }

  /** Also reloads a page whose script never ends. */
  async reload(options: { ignoreCache: boolean }): Promise<void> {
    if (!this.hasCrashed) await this.#terminateBlockedScript();
    await this.session.send("Page.reload", options);
  }

  async stopLoading(): Promise<void> {
    await this.session.send("Page.stopLoading");
  }

  /** @param steps negative to go back. Nothing happens beyond the ends of the history. */
  async goInHistory(steps: number): Promise<void> {
    const { entries, currentIndex } = await this.session.send("Page.getNavigationHistory");
    const entry = entries[currentIndex + steps];
    if (entry !== undefined) await this.session.send("Page.navigateToHistoryEntry", { entryId: entry.id });
  }

  async readHistory(): Promise<{ canGoBack: boolean; canGoForward: boolean }> {
    const history = await this.session.send("Page.getNavigationHistory").catch((error: unknown) => {
      // A page that has just opened has no history yet.
      if (error instanceof ProtocolError) return { entries: [], currentIndex: 0 };
      throw error;
    });
    const { entries, currentIndex } = history;
    return { canGoBack: currentIndex > 0, canGoForward: currentIndex < entries.length - 1 };
  }

  async #terminateBlockedScript(): Promise<void> {
    const { session } = this;
    const answer = session.send("Runtime.evaluate", { expression: "0" }).catch(() => undefined);
    if ((await this.waitFor(answer, RELOAD_TIMEOUT_MS)) !== "late") return;
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

  #setLoading(frameId: string, isLoading: boolean): void {
    // A page's main frame has the page's id.
    if (frameId !== this.id || this.isLoading === isLoading) return;
    this.isLoading = isLoading;
    this.#onChange();
  }
}
