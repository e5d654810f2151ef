import { logError } from "../../lib/common/log.ts";
import { evaluateIsolated } from "../../platform/browser/index.ts";
import { describeFocusedField, fillFocusedField } from "../../platform/page-scripts/bundled.js";
import { toCall } from "../../platform/page-scripts/page-function.ts";
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
import { focusedFieldSchema, type ServiceMessage, type ViewerMessage } from "./protocol.ts";

export type InputMessage = Exclude<ViewerMessage, { type: "ping" | "complete-handoff" | `frame-${string}` }>;
type KeyMessage = Extract<InputMessage, { type: "key" }>;
type MouseMessage = Extract<InputMessage, { type: "mouse" }>;
type TabMessage = Extract<InputMessage, { type: "stop" | "open-tab" | "close-tab" | "activate-tab" }>;
type TouchMessage = Extract<InputMessage, { type: "touch" }>;

/** Further messages are dropped while this many wait; releases are dropped last. */
const MAX_QUEUED = 200;
const MAX_QUEUED_CHARACTERS = 2_000_000;

const MAX_COPY_LENGTH = 1_000_000;

const TOOLBAR_MESSAGES = new Set<InputMessage["type"]>([
  "navigate",
  "back",
  "forward",
  "reload",
  "stop",
  "open-tab",
  "close-tab",
  "activate-tab",
]);

const FIELD_TIMEOUT_MS = 2000;
/** A finger that has moved further does not tap; in CSS pixels of the page. */
const MAX_TAP_MOVE = 15;

const ALLOWED_PROTOCOLS = new Set(["http:", "https:"]);

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

/** A viewer's input. Each viewer has a keyboard, and all share one mouse. */
export class LiveInput {
  readonly #options: LiveInputOptions;
  readonly #keyboard: Keyboard;
  #lastMove: { message: MouseMessage | TouchMessage } | undefined;
  #queued = 0;
  #queuedCharacters = 0;
  readonly #pressed = new Map<MouseButton, PageInput>();
  #touched: PageInput | undefined;
  #tap: TouchMessage["points"][number] | undefined;

  constructor(options: LiveInputOptions) {
    this.#options = options;
    this.#keyboard = new Keyboard(options.computer.newActions({ hasFields: false }), {
      takesShortcuts: !options.kiosk,
    });
  }

  handle(message: InputMessage): void {
    if (this.#options.kiosk && TOOLBAR_MESSAGES.has(message.type)) {
      this.#options.send({ type: "refused", message: "Tabs and addresses cannot be changed here" });
      return;
    }
    if (isForTabs(message)) {
      this.#useTabs(message).catch((error) => this.#reportFailure(error));
      return;
    }
    if (this.#exceedsQueueLimit(message)) return;
    if (!isMove(message)) {
      this.#lastMove = undefined;
      this.#queue(() => this.#perform(message), countCharacters(message));
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
      await this.#perform(move.message);
    }, 0);
  }

  end(): Promise<void> {
    const { computer } = this.#options;
    return computer.inOrder(async () => {
      await this.#keyboard.releaseAll();
      for (const [button, page] of this.#pressed) computer.mouse.release(page, button, 1, 0);
      this.#pressed.clear();
      this.#touched?.send("Input.dispatchTouchEvent", { type: "touchCancel", touchPoints: [] });
    });
  }

  #exceedsQueueLimit(message: InputMessage): boolean {
    const limit = isRelease(message) ? 2 * MAX_QUEUED : MAX_QUEUED;
    if (this.#queued >= limit) return true;
    return this.#queuedCharacters + countCharacters(message) > MAX_QUEUED_CHARACTERS;
  }

  #queue(work: () => Promise<void>, characters: number): void {
    this.#queued += 1;
    this.#queuedCharacters += characters;
    this.#options.computer
      .inOrder(work)
      .catch((error) => this.#reportFailure(error))
      .finally(() => {
        this.#queued -= 1;
        this.#queuedCharacters -= characters;
      });
  }

  async #perform(message: Exclude<InputMessage, TabMessage>): Promise<void> {
    const { computer } = this.#options;
    const target = await computer.target();
    const { browser, page } = target;
    switch (message.type) {
      case "mouse":
        return this.#useMouse(message, target);
      case "wheel":
        if (!computer.pointAt(page, message.x, message.y, message.modifiers)) return;
        computer.mouse.scrollWheel(page, message.deltaX, message.deltaY, message.modifiers);
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
      case "fill-field":
        await page.tab.waitFor(
          evaluateIsolated(page.tab.session, page.tab.id, toCall(fillFocusedField, message.value)),
          FIELD_TIMEOUT_MS,
        );
        return;
      case "answer-dialog":
        // The page may have opened another dialog meanwhile.
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

  /** Runs even while the page is blocked or no tab is in front. */
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
    await page.handled();
  }

  /** Releases the button even if the press has opened a dialog or blocked the page. */
  async #releaseButton(button: MouseButton, page: PageInput, message: MouseMessage): Promise<void> {
    if (!this.#pressed.delete(button)) return;
    try {
      // A drop works only after the page has handled the last move.
      await page.handled();
    } finally {
      this.#options.computer.mouse.release(page, button, message.clickCount, message.modifiers);
    }
    await page.handled();
  }

  async #touch({ action, points }: TouchMessage, page: PageInput): Promise<void> {
    if (page.tab.dialog !== undefined || (action === "move" && page.hasBacklog)) return;
    this.#touched = points.length > 0 ? page : undefined;
    // touchEnd lifts all fingers. A single lifted finger is missing from the next move.
    const type = action === "end" && points.length > 0 ? "touchMove" : TOUCH_TYPES[action];
    const touchPoints = action === "cancel" ? [] : points;
    page.send("Input.dispatchTouchEvent", { type, touchPoints });
    const [point] = points;
    if (action === "start") this.#tap = point;
    else if (action === "move" && isFar(this.#tap, point)) this.#tap = undefined;
    if (action !== "move") await page.handled();
    if (action !== "end" || this.#tap === undefined) return;
    // Not awaited, because it would delay input.
    this.#sendField(page).catch((error) => logError("field_not_described", error));
  }

  async #sendField({ tab }: PageInput): Promise<void> {
    const described = evaluateIsolated(tab.session, tab.id, toCall(describeFocusedField));
    const outcome = await tab.waitFor(described, FIELD_TIMEOUT_MS);
    if (typeof outcome === "string") return;
    this.#options.send({ type: "field", field: focusedFieldSchema.safeParse(outcome.value).data ?? null });
  }

  async #useKey(message: KeyMessage, target: KeyTarget): Promise<void> {
    const { action, modifiers, repeat } = message;
    const key = toKey(message);
    const held = modifiers & ~key.modifier;
    if (action === "up") return this.#keyboard.up(key, held);
    await this.#keyboard.down(key, target, { isRepeat: repeat, modifiers: held });
    const isCopy = held === MODIFIER.Control && (key.code === "KeyC" || key.code === "KeyX");
    if (!isCopy || repeat) return;
    const text = await target.browser.readClipboard();
    if (text.length <= MAX_COPY_LENGTH) this.#options.send({ type: "clipboard", text });
  }

  #reportFailure(error: unknown): void {
    const isUserError = error instanceof InvalidInputError || error instanceof PageUnresponsiveError;
    if (!isUserError) logError("live_input_failed", error);
    this.#options.send({
      type: "refused",
      message: isUserError ? error.message : "The browser could not do that",
    });
  }
}

function isFar(start: TouchMessage["points"][number] | undefined, point = start): boolean {
  if (start === undefined || point === undefined) return true;
  return Math.hypot(point.x - start.x, point.y - start.y) > MAX_TAP_MOVE;
}

function isRelease(message: InputMessage): boolean {
  return "action" in message && ["up", "end", "cancel"].includes(message.action);
}

function isForTabs(message: InputMessage): message is TabMessage {
  const { type } = message;
  return type === "stop" || type === "open-tab" || type === "close-tab" || type === "activate-tab";
}

function isMove(message: InputMessage): message is MouseMessage | TouchMessage {
  return (message.type === "mouse" || message.type === "touch") && message.action === "move";
}

function countCharacters(message: InputMessage): number {
  return "text" in message ? (message.text?.length ?? 0) : 0;
}

function readAddress(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (ALLOWED_PROTOCOLS.has(url.protocol) || url.href === "about:blank")) return url.href;
  throw new InvalidInputError("url", "Only http, https and about:blank can be opened here");
}

function toKey({ key, code, keyCode, location, modifiers }: KeyMessage): Key {
  const known = resolveKey(key);
  const isCharacter = [...key].length === 1;
  return {
    key,
    code,
    keyCode,
    location: location === 1 || location === 2 || location === 3 ? location : 0,
    text: key === "Enter" ? "\r" : isCharacter ? key : undefined,
    // The key includes the effect of Shift already.
    needsShift: isCharacter && (modifiers & MODIFIER.Shift) !== 0,
    modifier: known?.modifier ?? 0,
  };
}
