import { resolveWithin, tryWithin } from "../../lib/common/concurrency.ts";
import { isolatedWorld, type RemoteBrowser, type Tab } from "../../platform/browser/index.ts";
import { wasKeyPrevented, watchNextKey } from "../../platform/page-scripts/bundled.js";
import { toCall } from "../../platform/page-scripts/page-function.ts";
import type { BrowserActions } from "./browser-actions.ts";
import { dialogField, pressInDialog } from "./dialog-box.ts";
import { hasField } from "./dialog-layout.ts";
import {
  charactersOf,
  isModifier,
  type Key,
  keyForCharacter,
  MAX_KEY_TEXT_LENGTH,
  MODIFIER,
  textWithModifiers,
  withShift,
} from "./keys.ts";
import type { PageInput } from "./page-input.ts";
import { findShortcut, type Shortcut } from "./shortcuts.ts";

/** A page that does not answer in time does not prevent the shortcut. */
const PREVENTION_TIMEOUT_MS = 2000;

/** Characters sent to the page before waiting for it. */
const CHARACTERS_AHEAD = 32;

export interface KeyTarget {
  browser: RemoteBrowser;
  page: PageInput;
}

interface HeldKey {
  key: Key;
  page: PageInput | undefined;
}

/** A key goes to an open dialog, else a shortcut, else the focused address or find bar, else the page. */
export class Keyboard {
  readonly #actions: BrowserActions;
  readonly #takesShortcuts: boolean;
  readonly #held: HeldKey[] = [];

  constructor(actions: BrowserActions, { takesShortcuts = true } = {}) {
    this.#actions = actions;
    this.#takesShortcuts = takesShortcuts;
  }

  get modifiers(): number {
    return this.#held.reduce((bits, { key }) => bits | key.modifier, 0);
  }

  async down(
    key: Key,
    target: KeyTarget,
    { isRepeat = false, modifiers = this.modifiers } = {},
  ): Promise<void> {
    if (!isRepeat) this.#held.push({ key, page: undefined });
    if (await this.#takenByBrowser(key, modifiers, target)) return;
    this.#sendDown(key, target.page, { modifiers, isRepeat });
    this.#noteHolder(key, target.page);
    // A modifier alone has no effect, and the next key waits for it too.
    if (!isModifier(key)) await target.page.handled();
  }

  async tap(key: Key, target: KeyTarget): Promise<void> {
    const { modifiers } = this;
    const held: HeldKey = { key, page: undefined };
    this.#held.push(held);
    if (await this.#takenByBrowser(key, modifiers, target)) return this.up(key);
    this.#held.splice(this.#held.indexOf(held), 1);
    this.#sendDown(key, target.page, { modifiers, isRepeat: false });
    this.#sendUp(key, target.page, modifiers);
    await target.page.handled();
  }

  async up(key: Key, modifiers?: number): Promise<void> {
    const index = this.#held.findLastIndex((held) => isSameKey(held.key, key));
    const [held] = index < 0 ? [] : this.#held.splice(index, 1);
    if (held?.page === undefined) return;
    this.#sendUp(key, held.page, modifiers ?? this.modifiers);
    if (!isModifier(key)) await held.page.handled();
  }

  /** The last pressed first. A page that does not respond gets the events later. */
  async releaseAll(): Promise<void> {
    const pages = new Set<PageInput>();
    for (let held = this.#held.pop(); held !== undefined; held = this.#held.pop()) {
      if (held.page === undefined) continue;
      const { key, page } = held;
      pages.add(page);
      try {
        this.#sendUp(key, page, this.modifiers);
      } catch {
        // A page that handles no input has not handled the key either.
      }
    }
    await Promise.allSettled([...pages].map((page) => page.handled()));
  }

  /** @param next the first target; a character may open a dialog or tab. @param pause after each one. */
  async type(
    text: string,
    next: () => Promise<KeyTarget>,
    pause: (() => Promise<void>) | undefined,
  ): Promise<void> {
    let ahead = 0;
    let target = await next();
    for (const character of charactersOf(text)) {
      await this.#typeCharacter(character, target);
      ahead += 1;
      // Enter may open a page or a dialog, which the next character must reach.
      if (pause === undefined && character !== "\n" && ahead < CHARACTERS_AHEAD) continue;
      await target.page.handled();
      await pause?.();
      target = await next();
      ahead = 0;
    }
    await target.page.handled();
  }

  async #typeCharacter(character: string, { page }: KeyTarget): Promise<void> {
    const key = keyForCharacter(character);
    const { tab } = page;
    const field = this.#actions.fieldOver(tab);
    if (tab.dialog !== undefined) {
      if (key.key === "Enter") await pressInDialog(tab, key, 0);
      else if (hasField(tab.dialog.kind)) dialogField(tab.dialog).insert(character);
    } else if (field !== undefined) {
      if (key.key === "Enter") await this.#actions.submitField(field, false);
      else field.line.insert(character);
    } else if (character.length > MAX_KEY_TEXT_LENGTH) {
      page.send("Input.insertText", { text: character });
    } else {
      this.#sendDown(key, page, { modifiers: 0, isRepeat: false });
      this.#sendUp(key, page, 0);
    }
  }

  async #takenByBrowser(key: Key, modifiers: number, target: KeyTarget): Promise<boolean> {
    const { tab } = target.page;
    if (tab.dialog !== undefined) {
      await pressInDialog(tab, key, modifiers);
      return true;
    }
    const field = this.#actions.fieldOver(tab);
    const shortcut = findShortcut(key, modifiers);
    if (shortcut !== undefined && shortcut.kind !== "ignore") {
      if (shortcut.kind !== "edit") {
        return this.#takesShortcuts && (await this.#runShortcut(shortcut, key, modifiers, target));
      }
      if (field !== undefined && shortcut.command.startsWith("paste")) {
        field.line.insert(await target.browser.readClipboard());
        return true;
      }
    }
    if (field === undefined || key.modifier !== 0) return shortcut?.kind === "ignore" && shortcut.reserved;
    if (key.key === "Enter") {
      await this.#actions.submitField(field, (modifiers & MODIFIER.Shift) !== 0);
    } else if (key.key === "Escape" || key.key === "Tab") {
      this.#actions.leaveField();
    } else {
      field.line.press(key, modifiers, textWithModifiers(key, modifiers));
    }
    return true;
  }

  async #runShortcut(shortcut: Shortcut, key: Key, modifiers: number, target: KeyTarget): Promise<boolean> {
    const { browser, page } = target;
    if (!shortcut.reserved && !page.tab.hasCrashed && this.#actions.fieldOver(page.tab) === undefined) {
      const prevented = await watchPrevention(page.tab);
      this.#sendDown(key, page, { modifiers, isRepeat: false });
      this.#noteHolder(key, page);
      if (await prevented()) return true;
    }
    if (shortcut.kind === "browser") await this.#actions.run(shortcut.action, browser, page.tab);
    if (shortcut.kind === "tab") await this.#actions.activateAt(shortcut.index, browser);
    return true;
  }

  #noteHolder(key: Key, page: PageInput): void {
    const held = this.#held.findLast((held) => isSameKey(held.key, key));
    if (held !== undefined) held.page = page;
  }

  #sendDown(
    key: Key,
    page: PageInput,
    { modifiers, isRepeat }: { modifiers: number; isRepeat: boolean },
  ): void {
    const shortcut = findShortcut(key, modifiers);
    const allModifiers = modifiers | key.modifier | (key.needsShift ? MODIFIER.Shift : 0);
    const text = textWithModifiers(key, modifiers);
    page.send("Input.dispatchKeyEvent", {
      type: text === undefined ? "rawKeyDown" : "keyDown",
      ...describeKey(keyUnder(key, modifiers), allModifiers),
      text,
      unmodifiedText: text,
      autoRepeat: isRepeat,
      // Older browsers need the editing command.
      commands: shortcut?.kind === "edit" ? [shortcut.command] : undefined,
    });
  }

  #sendUp(key: Key, page: PageInput, modifiers: number): void {
    page.send("Input.dispatchKeyEvent", {
      type: "keyUp",
      ...describeKey(keyUnder(key, modifiers), modifiers),
    });
  }
}

function keyUnder(key: Key, modifiers: number): Key {
  return (modifiers & MODIFIER.Shift) === 0 ? key : withShift(key);
}

function describeKey(key: Key, modifiers: number) {
  return {
    modifiers,
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    location: key.location,
    isKeypad: key.location === 3,
  };
}

function isSameKey(one: Key, other: Key): boolean {
  return one.code === other.code && (one.code !== "" || one.key === other.key);
}

/**
 * Resolves once the page listens for the next key, because input can overtake a script.
 *
 * @returns a function that returns whether the page prevented the key's default.
 */
async function watchPrevention(tab: Tab): Promise<() => Promise<boolean>> {
  const watch = async () => {
    const evaluate = await isolatedWorld(tab.session, tab.id);
    await evaluate(toCall(watchNextKey));
    return evaluate;
  };
  const evaluate = await tryWithin(watch(), PREVENTION_TIMEOUT_MS);
  return async () => {
    const answer = evaluate?.(toCall(wasKeyPrevented)).catch(() => false);
    return answer !== undefined && (await resolveWithin(answer, PREVENTION_TIMEOUT_MS)) === true;
  };
}
