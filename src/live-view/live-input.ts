import { logError } from "../common/log.ts";
import {
  type Computer,
  InvalidInputError,
  type Key,
  Keyboard,
  type KeyTarget,
  MODIFIER,
  type MouseButton,
  type PageInput,
  PageUnresponsiveError,
  resolveKey,
} from "../computer/index.ts";
import type { ServiceMessage, ViewerMessage } from "./protocol.ts";

/** What a viewer sends that is meant for the browser. */
export type InputMessage = Exclude<ViewerMessage, { type: "ping" | "frame-drawn" | "frame-size" }>;
type KeyMessage = Extract<InputMessage, { type: "key" }>;
type MouseMessage = Extract<InputMessage, { type: "mouse" }>;
type TabMessage = Extract<InputMessage, { type: "stop" | "open-tab" | "close-tab" | "activate-tab" }>;
type TouchMessage = Extract<InputMessage, { type: "touch" }>;

/**
 * More than people do in the time that a page may take: what comes while so much waits is dropped, and what lets go
 * of something last.
 */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 2_000_000;

/** Nothing longer is handed to a viewer's own clipboard. */
const MAX_COPY_LENGTH = 1_000_000;

/** Which messages belong to the tab strip and the address bar. */
const OF_BROWSER_BAR = new Set<InputMessage["type"]>([
  "navigate",
  "back",
  "forward",
  "reload",
  "stop",
  "open-tab",
  "close-tab",
  "activate-tab",
]);

const OPENED = new Set(["http:", "https:"]);

const TOUCH_TYPES = {
  start: "touchStart",
  move: "touchMove",
  end: "touchEnd",
  cancel: "touchCancel",
} as const;

interface LiveInputOptions {
  computer: Computer;
  kiosk: boolean;
  send: (message: ServiceMessage) => void;
}

/** A viewer's own hands on the session's browser: one keyboard each, and the one mouse that all share. */
export class LiveInput {
  readonly #options: LiveInputOptions;
  readonly #keyboard: Keyboard;
  /** The move that waits behind everything else: one that follows takes its place. */
  #lastMove: { message: MouseMessage | TouchMessage } | undefined;
  #waiting = 0;
  #waitingCharacters = 0;
  /** What this viewer holds down, each with the page that was told so. */
  readonly #pressed = new Map<MouseButton, PageInput>();
  #touched: PageInput | undefined;

  constructor(options: LiveInputOptions) {
    this.#options = options;
    this.#keyboard = new Keyboard(options.computer.newActions({ hasFields: false }), {
      takesShortcuts: !options.kiosk,
    });
  }

  /** Takes a message; what it asks for is done after all that came before. */
  take(message: InputMessage): void {
    if (this.#options.kiosk && OF_BROWSER_BAR.has(message.type)) {
      this.#options.send({ type: "refused", message: "Tabs and addresses are not to be changed here" });
      return;
    }
    if (isForTabs(message)) {
      this.#useTabs(message).catch((error) => this.#tellFailure(error));
      return;
    }
    if (this.#isTooMuch(message)) return;
    if (!isMove(message)) {
      this.#lastMove = undefined;
      this.#queue(() => this.#do(message), lengthOf(message));
      return;
    }
    if (this.#lastMove?.message.type === message.type) {
      this.#lastMove.message = message;
      return;
    }
    const move = { message };
    this.#lastMove = move;
    this.#queue(async () => {
      if (this.#lastMove === move) this.#lastMove = undefined;
      await this.#do(move.message);
    }, 0);
  }

  /** Lets go of whatever the viewer held when they left. */
  end(): Promise<void> {
    const { computer } = this.#options;
    return computer.inOrder(async () => {
      await this.#keyboard.releaseAll();
      for (const [button, page] of this.#pressed) computer.mouse.release(page, button, 1, 0);
      this.#pressed.clear();
      this.#touched?.send("Input.dispatchTouchEvent", { type: "touchCancel", touchPoints: [] });
    });
  }

  #isTooMuch(message: InputMessage): boolean {
    const limit = letsGo(message) ? 2 * MAX_WAITING : MAX_WAITING;
    if (this.#waiting >= limit) return true;
    return this.#waitingCharacters + lengthOf(message) > MAX_WAITING_CHARACTERS;
  }

  #queue(work: () => Promise<void>, characters: number): void {
    this.#waiting += 1;
    this.#waitingCharacters += characters;
    this.#options.computer
      .inOrder(work)
      .catch((error) => this.#tellFailure(error))
      .finally(() => {
        this.#waiting -= 1;
        this.#waitingCharacters -= characters;
      });
  }

  async #do(message: Exclude<InputMessage, TabMessage>): Promise<void> {
    const { computer } = this.#options;
    const target = await computer.target();
    const { browser, page } = target;
    switch (message.type) {
      case "mouse":
        return this.#useMouse(message, target);
      case "wheel":
        if (!computer.pointAt(page, message.x, message.y, message.modifiers)) return;
        computer.mouse.turnWheel(page, message.deltaX, message.deltaY, message.modifiers);
        return;
      case "key":
        return this.#useKey(message, target);
      case "text":
        return this.#keyboard.type(message.text, () => computer.target(), undefined);
      case "paste":
        await browser.writeClipboard(message.text);
        return computer.pressCombination("Ctrl+v");
      case "touch":
        return this.#touch(message, page);
      case "answer-dialog":
        // The one that the viewer saw: the page may have opened its next one meanwhile.
        if (page.tab.dialog?.id === message.dialog) await page.tab.answerDialog(message.accept, message.text);
        return;
      case "navigate":
        return page.tab.navigate(readAddress(message.url));
      case "back":
        return page.tab.goInHistory(-1);
      case "forward":
        return page.tab.goInHistory(1);
      case "reload":
        return page.tab.reload({ ignoreCache: false });
    }
  }

  /** What works also while a page holds up everything else, and wants no tab in front. */
  async #useTabs(message: TabMessage): Promise<void> {
    const { tabs } = await this.#options.computer.connect();
    switch (message.type) {
      case "stop":
        return (await tabs.findFront())?.stopLoading();
      case "open-tab":
        await tabs.open("about:blank");
        return;
      case "close-tab":
      case "activate-tab": {
        const tab = tabs.get(message.tab);
        if (tab === undefined) return;
        await (message.type === "close-tab" ? tabs.close(tab) : tabs.activate(tab));
      }
    }
  }

  async #useMouse(message: MouseMessage, { page }: KeyTarget): Promise<void> {
    const { computer } = this.#options;
    const { action, button, clickCount, modifiers } = message;
    const isPointed = computer.pointAt(page, message.x, message.y, modifiers);
    if (action === "move" || button === "none") return;
    if (action === "up") return this.#releaseButton(button, page, message);
    if (!isPointed) return;
    computer.actions.leaveField();
    this.#pressed.set(button, page);
    computer.mouse.press(page, button, clickCount, modifiers);
    await page.taken();
  }

  /** Also where the press has opened a dialog, or made the page stand still: no button stays down. */
  async #releaseButton(button: MouseButton, page: PageInput, message: MouseMessage): Promise<void> {
    if (!this.#pressed.delete(button)) return;
    try {
      // What is dragged is dropped where the page has taken the last move.
      await page.taken();
    } finally {
      this.#options.computer.mouse.release(page, button, message.clickCount, message.modifiers);
    }
    await page.taken();
  }

  async #touch({ action, points }: TouchMessage, page: PageInput): Promise<void> {
    if (page.tab.dialog !== undefined || (action === "move" && page.isBehind)) return;
    this.#touched = points.length > 0 ? page : undefined;
    // An end is of all fingers; one of several that is lifted is missing from the next move.
    const type = action === "end" && points.length > 0 ? "touchMove" : TOUCH_TYPES[action];
    const touchPoints = action === "cancel" ? [] : points;
    page.send("Input.dispatchTouchEvent", { type, touchPoints });
    if (action !== "move") await page.taken();
  }

  async #useKey(message: KeyMessage, target: KeyTarget): Promise<void> {
    const { action, modifiers, repeat } = message;
    const key = toKey(message);
    // What the viewer's own browser says of the modifiers is right also where their keys went down elsewhere.
    const held = modifiers & ~key.modifier;
    if (action === "up") return this.#keyboard.up(key, held);
    await this.#keyboard.down(key, target, { isRepeat: repeat, modifiers: held });
    const isCopy = held === MODIFIER.Control && (key.code === "KeyC" || key.code === "KeyX");
    if (!isCopy || repeat) return;
    const text = await target.browser.readClipboard();
    if (text.length <= MAX_COPY_LENGTH) this.#options.send({ type: "clipboard", text });
  }

  #tellFailure(error: unknown): void {
    const isForPeople = error instanceof InvalidInputError || error instanceof PageUnresponsiveError;
    if (!isForPeople) logError("live_input_failed", error);
    this.#options.send({
      type: "refused",
      message: isForPeople ? error.message : "The browser did not do that",
    });
  }
}

/** Whether a message ends what an earlier one began. */
function letsGo(message: InputMessage): boolean {
  return "action" in message && ["up", "end", "cancel"].includes(message.action);
}

function isForTabs(message: InputMessage): message is TabMessage {
  const { type } = message;
  return type === "stop" || type === "open-tab" || type === "close-tab" || type === "activate-tab";
}

function isMove(message: InputMessage): message is MouseMessage | TouchMessage {
  return (message.type === "mouse" || message.type === "touch") && message.action === "move";
}

/** How many characters a message keeps in memory while it waits. */
function lengthOf(message: InputMessage): number {
  return "text" in message ? (message.text?.length ?? 0) : 0;
}

/** @throws InvalidInputError for what a live view's address bar does not open. */
function readAddress(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (OPENED.has(url.protocol) || url.href === "about:blank")) return url.href;
  throw new InvalidInputError("url", "Only http, https and about:blank are opened here");
}

/** A key as the viewer's own keyboard has it, which need not be a US one. */
function toKey({ key, code, keyCode, location, modifiers }: KeyMessage): Key {
  const known = resolveKey(key);
  const isCharacter = [...key].length === 1;
  return {
    key,
    code,
    keyCode,
    location: location === 1 || location === 2 || location === 3 ? location : 0,
    text: key === "Enter" ? "\r" : isCharacter ? key : undefined,
    // What Shift makes of it is in the key already.
    needsShift: isCharacter && (modifiers & MODIFIER.Shift) !== 0,
    modifier: known?.modifier ?? 0,
  };
}
