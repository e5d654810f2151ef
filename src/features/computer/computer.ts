import { pause, resolveWithin } from "../../lib/common/concurrency.ts";
import type { RemoteBrowser, Viewport } from "../../platform/browser/index.ts";
import type { Rectangle } from "../../platform/page-scripts/drawing.ts";
import {
  type ClickMouse,
  type ComputerAction,
  type DragMouse,
  type MoveMouse,
  type PressKey,
  type Scroll,
  shortestDuration,
} from "./actions.ts";
import { BrowserActions } from "./browser-actions.ts";
import { clickInDialog } from "./dialog-box.ts";
import { InvalidInputError, PageUnresponsiveError } from "./errors.ts";
import { Keyboard, type KeyTarget } from "./keyboard.ts";
import { isModifier, type Key, readCombination, readModifier } from "./keys.ts";
import { Mouse, wheelDeltas } from "./mouse.ts";
import { type Point, smoothRoute, straightRoute } from "./mouse-path.ts";
import { PageInput } from "./page-input.ts";
import { captureScreenshot, checkRegion } from "./screenshot.ts";

const READY_TIMEOUT_MS = 1000;

/** Mouse moves at the end of a drag that make sure it drops. */
const DROP_MOVES = 2;

const MAX_CONCURRENT_CLICKS = 25;

/** Time limit of an action or of a batch. Other commands wait in the meantime. */
const MAX_DELAY_MS = 5 * 60_000;

interface ComputerOptions {
  connect: () => Promise<RemoteBrowser>;
  viewport: () => Viewport;
  homeURL: () => string;
  onCursor?: (cursor: Cursor) => void;
}

export interface Cursor {
  x: number;
  y: number;
  hidden: boolean;
}

type Step = () => Promise<void>;

/**
 * A session's mouse, keyboard and screen. Commands run in order, in the front tab.
 *
 * @example
 * ```ts
 * const computer = new Computer({ connect: () => session.connect(), homeURL: () => "https://example.com" });
 * await computer.perform([{ type: "type", text: "hello", delayMs: 0 }]);
 * const png = await computer.screenshot(undefined);
 * await computer.close();
 * ```
 */
export class Computer {
  readonly actions: BrowserActions;
  readonly mouse = new Mouse();
  readonly #options: ComputerOptions;
  readonly #keyboard: Keyboard;
  #last: Promise<unknown> = Promise.resolve();
  #isCursorHidden = false;
  #deadline = Number.POSITIVE_INFINITY;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: ComputerOptions) {
    this.#options = options;
    this.actions = this.newActions({ hasFields: true });
    this.#keyboard = new Keyboard(this.actions);
  }

  get cursor(): Cursor {
    const [x, y] = this.mouse.position;
    return { x, y, hidden: this.#isCursorHidden };
  }

  /**
   * Performs the actions in order after checking all of them.
   *
   * @param fieldOf a caller's name for a field of the action at an index.
   * @throws InvalidInputError before any action was performed.
   * @throws PageUnresponsiveError
   */
  async perform(
    actions: readonly ComputerAction[],
    fieldOf: (index: number, field: string) => string = (_, field) => field,
  ): Promise<void> {
    if (actions.reduce((sum, action) => sum + shortestDuration(action), 0) > MAX_DELAY_MS) {
      throw new InvalidInputError("", `would take longer than ${MAX_DELAY_MS / 1000} seconds`);
    }
    const steps = actions.map((action, index) => this.#plan(action, (field) => fieldOf(index, field)));
    await this.inOrder(async () => {
      this.#deadline = Date.now() + MAX_DELAY_MS;
      try {
        for (const step of steps) await step();
      } finally {
        this.#deadline = Number.POSITIVE_INFINITY;
      }
    });
  }

  /**
   * @param region in pixels; undefined for the whole viewport.
   * @returns a PNG.
   * @throws InvalidInputError when the region exceeds the viewport.
   * @throws PageUnresponsiveError
   */
  async screenshot(region: Rectangle | undefined): Promise<Uint8Array> {
    const viewport = this.#options.viewport();
    if (region !== undefined) checkRegion(region, viewport);
    return this.inOrder(async () => {
      const { browser, page } = await this.target();
      return captureScreenshot(browser, page.tab, { viewport, region });
    });
  }

  readClipboard(): Promise<string> {
    return this.inOrder(async () => (await this.connect()).readClipboard());
  }

  async writeClipboard(text: string): Promise<void> {
    await this.inOrder(async () => (await this.connect()).writeClipboard(text));
  }

  connect(): Promise<RemoteBrowser> {
    return this.#options.connect();
  }

  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** @throws PageUnresponsiveError when the actions exceed their time limit or the computer is closed. */
  async target(): Promise<KeyTarget> {
    this.#requireOpen();
    if (Date.now() > this.#deadline) {
      throw new PageUnresponsiveError(
        `The page did not handle the input within ${MAX_DELAY_MS / 1000} seconds`,
      );
    }
    const browser = await this.connect();
    await resolveWithin(
      Promise.all([browser.paintSelectLists(), browser.takeFileChoosers()]),
      READY_TIMEOUT_MS,
    );
    const { tabs } = browser;
    const tab = await tabs.front();
    // Input to a page in the background would wait until it is in front.
    if (tabs.all().length > 1) tab.session.send("Page.bringToFront").catch(() => undefined);
    return { browser, page: new PageInput(tab, tabs) };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.resolve();
    return this.inOrder(async () => {
      if (!this.mouse.isPressed) return;
      const { tabs } = await this.connect();
      const page = new PageInput(await tabs.front(), tabs);
      this.mouse.releaseAll(page);
      await page.handled();
    });
  }

  /** Must be called within {@link inOrder}. */
  async pressCombination(text: string): Promise<void> {
    try {
      await this.#tap(readCombination(text, "keys"), await this.target());
    } finally {
      await this.#keyboard.releaseAll();
    }
  }

  newActions(options: { hasFields: boolean }): BrowserActions {
    return new BrowserActions(this.#options.homeURL, options);
  }

  pointAt(page: PageInput, x: number, y: number, modifiers: number): boolean {
    if (page.tab.dialog !== undefined) return false;
    this.mouse.move(page, this.#clamp([Math.round(x), Math.round(y)]), modifiers);
    this.#sendCursor();
    return true;
  }

  #sendCursor(): void {
    this.#options.onCursor?.(this.cursor);
  }

  #plan(action: ComputerAction, field: (name: string) => string): Step {
    switch (action.type) {
      case "move_mouse":
        return this.#planMove(action, field);
      case "click_mouse":
        return this.#planClick(action, field);
      case "drag_mouse":
        return this.#planDrag(action, field);
      case "scroll":
        return this.#planScroll(action, field);
      case "press_key":
        return this.#planPress(action, field);
      case "type_text": {
        const { text, delayMs } = action;
        const wait = delayMs === 0 ? undefined : () => this.#pause(delayMs);
        return () => this.#keyboard.type(text, () => this.target(), wait);
      }
      case "set_cursor":
        return async () => {
          this.#isCursorHidden = action.hidden;
          this.#sendCursor();
        };
      case "sleep":
        return () => this.#pause(action.durationMs);
    }
  }

  #planMove(action: MoveMouse, field: (name: string) => string): Step {
    this.#checkPoint(action.to, field);
    return this.#holding(action.holdKeys, field, async (page) => {
      if (action.smooth) await this.#moveSmoothly(page, [action.to], action.durationMs);
      else this.#move(page, action.to);
      // A drag follows the mouse only if the page takes each move.
      if (this.mouse.isPressed) await page.handled();
    });
  }

  #planClick(action: ClickMouse, field: (name: string) => string): Step {
    const { at, button, clickType, count } = action;
    this.#checkPoint(at, field);
    return this.#holding(action.holdKeys, field, async (page) => {
      this.actions.leaveField();
      if (page.tab.dialog !== undefined) {
        // The press may have opened the dialog; the button must not stay down.
        if (clickType === "up" && this.mouse.holds(button)) this.mouse.release(page, button, 1, 0);
        else if (clickType !== "down") await clickInDialog(page.tab, this.#options.viewport().width, ...at);
        return;
      }
      this.#move(page, at);
      const { modifiers } = this.#keyboard;
      if (clickType === "up") this.mouse.release(page, button, 1, modifiers);
      if (clickType === "down") this.mouse.press(page, button, 1, modifiers);
      for (let click = 1; clickType === "click" && click <= count; click += 1) {
        this.mouse.press(page, button, click, modifiers);
        this.mouse.release(page, button, click, modifiers);
        if (click % MAX_CONCURRENT_CLICKS === 0) await page.handled();
      }
      await page.handled();
    });
  }

  #planDrag(action: DragMouse, field: (name: string) => string): Step {
    const { path, button } = action;
    for (const [index, point] of path.entries()) {
      this.#checkPoint(point, () => field(`path.${index}`));
    }
    return this.#holding(action.holdKeys, field, async (page) => {
      const [start, ...rest] = path;
      if (start === undefined || page.tab.dialog !== undefined) return;
      this.actions.leaveField();
      this.#move(page, start);
      this.mouse.press(page, button, 1, this.#keyboard.modifiers);
      try {
        await page.handled();
        await this.#pause(action.delayMs);
        if (action.smooth) await this.#moveSmoothly(page, rest, action.durationMs);
        else await this.#moveEvenly(page, action);
        await this.#settleDrag(page);
      } finally {
        this.mouse.release(page, button, 1, this.#keyboard.modifiers);
      }
      await page.handled();
    });
  }

  /** A page accepts a drop only after it has answered a drag event. */
  async #settleDrag(page: PageInput): Promise<void> {
    for (let asked = 0; asked < DROP_MOVES; asked += 1) {
      await page.handled();
      this.#move(page, this.mouse.position);
    }
    await page.handled();
  }

  #planScroll(action: Scroll, field: (name: string) => string): Step {
    this.#checkPoint(action.at, field);
    return this.#holding(action.holdKeys, field, async (page) => {
      if (page.tab.dialog !== undefined) return;
      this.#move(page, action.at);
      const { modifiers } = this.#keyboard;
      for (const pixels of wheelDeltas(action.notchesY)) this.mouse.scrollWheel(page, 0, pixels, modifiers);
      for (const pixels of wheelDeltas(action.notchesX)) this.mouse.scrollWheel(page, pixels, 0, modifiers);
      await page.handled();
    });
  }

  #planPress(action: PressKey, field: (name: string) => string): Step {
    const combinations = action.keys.map((text, index) => readCombination(text, field(`keys.${index}`)));
    return this.#holding(action.holdKeys, field, async (_, target) => {
      if (action.durationMs > 0) return this.#hold(combinations.flat(), target, action.durationMs);
      for (const [index, keys] of combinations.entries()) {
        await this.#tap(keys, index === 0 ? target : await this.target());
      }
    });
  }

  async #tap(keys: readonly Key[], target: KeyTarget): Promise<void> {
    const others = keys.slice(0, -1);
    const last = keys.at(-1);
    const reached = await this.#press(others, target);
    if (last !== undefined) await this.#keyboard.tap(last, reached);
    for (const key of others.toReversed()) await this.#keyboard.up(key);
  }

  async #hold(keys: readonly Key[], target: KeyTarget, durationMs: number): Promise<void> {
    await this.#press(keys, target);
    await this.#pause(durationMs);
    for (const key of keys.toReversed()) await this.#keyboard.up(key);
  }

  async #press(keys: readonly Key[], target: KeyTarget): Promise<KeyTarget> {
    let next = target;
    for (const key of keys) {
      await this.#keyboard.down(key, next);
      // A key other than a modifier may change the front tab.
      if (!isModifier(key)) next = await this.target();
    }
    return next;
  }

  #holding(
    holdKeys: readonly string[],
    field: (name: string) => string,
    work: (page: PageInput, target: KeyTarget) => Promise<void>,
  ): Step {
    const keys = holdKeys.map((name, index) => readModifier(name, field(`hold_keys.${index}`)));
    return async () => {
      const target = await this.target();
      try {
        for (const key of keys) await this.#keyboard.down(key, target);
        await work(target.page, target);
      } finally {
        await this.#keyboard.releaseAll();
      }
    };
  }

  async #pause(milliseconds: number): Promise<void> {
    if (!this.#isClosed) await Promise.race([pause(milliseconds), this.#closed.promise]);
    this.#requireOpen();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new PageUnresponsiveError("The computer has been closed");
  }

  async #moveSmoothly(
    page: PageInput,
    points: readonly Point[],
    durationMs: number | undefined,
  ): Promise<void> {
    for (const { point, pauseMs } of smoothRoute([this.mouse.position, ...points], durationMs)) {
      this.#move(page, this.#clamp(point));
      await this.#pause(pauseMs);
    }
  }

  async #moveEvenly(page: PageInput, { path, stepsPerSegment, stepDelayMs }: DragMouse): Promise<void> {
    for (const [index, step] of straightRoute(path, stepsPerSegment).entries()) {
      if (index > 0) await this.#pause(stepDelayMs);
      this.#move(page, step);
    }
  }

  #move(page: PageInput, point: Point): void {
    this.mouse.move(page, point, this.#keyboard.modifiers);
    this.#sendCursor();
  }

  #clamp([x, y]: Point): Point {
    const { width, height } = this.#options.viewport();
    return [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))];
  }

  #checkPoint([x, y]: Point, field: (name: string) => string): void {
    const { width, height } = this.#options.viewport();
    const check = (name: string, value: number, size: number) => {
      if (value >= size)
        throw new InvalidInputError(field(name), `must be from 0 to ${size - 1}, in the viewport`);
    };
    check("x", x, width);
    check("y", y, height);
  }
}
