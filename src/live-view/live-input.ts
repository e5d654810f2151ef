import type { Computer } from "../computer/computer.ts";
import { InvalidInputError, PageUnresponsiveError } from "../computer/errors.ts";
import { Keyboard, type KeyTarget } from "../computer/keyboard.ts";
import { type Key, MODIFIER, resolveKey } from "../computer/keys.ts";
import type { MouseButton } from "../computer/mouse.ts";
import { logError } from "../log.ts";
import type { ServiceMessage, ViewerMessage } from "./protocol.ts";

/** What a viewer sends that is meant for the browser. */
export type InputMessage = Exclude<ViewerMessage, { type: "ping" | "frame-drawn" | "frame-size" }>;
type KeyMessage = Extract<InputMessage, { type: "key" }>;
type MouseMessage = Extract<InputMessage, { type: "mouse" }>;
type TouchMessage = Extract<InputMessage, { type: "touch" }>;

/** More than people do in the time that a page may take: what comes while so much waits is dropped. */
const MOST_WAITING = 200;

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
  /** Of the moves that wait, only the last counts. */
  #move: MouseMessage | TouchMessage | undefined;
  #waiting = 0;

  constructor(options: LiveInputOptions) {
    this.#options = options;
    this.#keyboard = new Keyboard(options.computer.actions, { takesShortcuts: !options.kiosk });
  }

  /** Takes a message; what it asks for is done after all that came before. */
  take(message: InputMessage): void {
    if (this.#options.kiosk && OF_BROWSER_BAR.has(message.type)) return;
    if (this.#waiting >= MOST_WAITING) return;
    const isMove = (message.type === "mouse" || message.type === "touch") && message.action === "move";
    if (!isMove) {
      this.#queue(() => this.#do(message));
      return;
    }
    const isQueued = this.#move !== undefined;
    this.#move = message;
    if (isQueued) return;
    this.#queue(async () => {
      const latest = this.#move;
      this.#move = undefined;
      if (latest !== undefined) await this.#do(latest);
    });
  }

  /** Lets go of whatever the viewer held when they left. */
  end(): Promise<void> {
    return this.#options.computer.inOrder(() => this.#keyboard.releaseAll());
  }

  #queue(work: () => Promise<void>): void {
    this.#waiting += 1;
    this.#options.computer
      .inOrder(work)
      .catch((error) => this.#tellFailure(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #do(message: InputMessage): Promise<void> {
    const { computer } = this.#options;
    const target = await computer.target();
    const { browser, page } = target;
    switch (message.type) {
      case "mouse":
        return this.#useMouse(message, target);
      case "wheel":
        computer.mouse.move(page, [message.x, message.y], message.modifiers);
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
        page.send("Input.dispatchTouchEvent", {
          type: TOUCH_TYPES[message.action],
          touchPoints: message.points,
        });
        return message.action === "move" ? undefined : page.taken();
      case "answer-dialog":
        return page.tab.answerDialog(message.accept, message.text);
      case "navigate":
        return page.tab.navigate(readAddress(message.url));
      case "back":
        return page.tab.goInHistory(-1);
      case "forward":
        return page.tab.goInHistory(1);
      case "reload":
        return page.tab.reload({ ignoreCache: false });
      case "stop":
        return page.tab.stopLoading();
      case "open-tab":
        await browser.tabs.open("about:blank");
        return;
      case "close-tab":
      case "activate-tab": {
        const tab = browser.tabs.get(message.tab);
        if (tab === undefined) return;
        await (message.type === "close-tab" ? browser.tabs.close(tab) : browser.tabs.activate(tab));
      }
    }
  }

  async #useMouse(message: MouseMessage, { page }: KeyTarget): Promise<void> {
    const { mouse, actions } = this.#options.computer;
    const { action, button, clickCount, modifiers } = message;
    if (page.tab.dialog !== undefined) return;
    mouse.move(page, [Math.round(message.x), Math.round(message.y)], modifiers);
    this.#options.computer.tellCursor();
    if (action === "move" || button === "none") return;
    const pressed: MouseButton = button;
    if (action === "down") {
      actions.leaveField();
      mouse.press(page, pressed, clickCount, modifiers);
    } else mouse.release(page, pressed, clickCount, modifiers);
    await page.taken();
  }

  async #useKey(message: KeyMessage, target: KeyTarget): Promise<void> {
    const key = toKey(message);
    if (message.action === "up") return this.#keyboard.up(key);
    await this.#keyboard.down(key, target, message.repeat);
    const isCopy = message.modifiers === MODIFIER.Control && (key.code === "KeyC" || key.code === "KeyX");
    if (isCopy) this.#options.send({ type: "clipboard", text: await target.browser.readClipboard() });
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
