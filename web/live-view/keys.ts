import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";

export type KeyMessage = Extract<ViewerMessage, { type: "key" }>;

export interface ModifierState {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}

export interface KeyState extends ModifierState {
  key: string;
  code: string;
  keyCode: number;
  location: number;
  repeat: boolean;
  isComposing: boolean;
  getModifierState(name: string): boolean;
}

const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

const KEY_CODE_L = 76;
const KEY_CODE_V = 86;
/** Key code of a key that an input method or a soft keyboard handles. */
const KEY_CODE_COMPOSED = 229;

const COMPOSED_KEYS: ReadonlySet<string> = new Set(["Dead", "Process", "Unidentified"]);
const CHORD_KEYS: ReadonlySet<string> = new Set(["Alt", "Control", "Shift"]);

/** Maps Command on a Mac to Control. */
export function remoteModifiers(event: ModifierState, isMac: boolean): number {
  const hasControl = event.ctrlKey || (isMac && event.metaKey);
  return (
    (event.altKey ? ALT : 0) |
    (hasControl ? CONTROL : 0) |
    (event.metaKey && !isMac ? META : 0) |
    (event.shiftKey ? SHIFT : 0)
  );
}

export function remoteKey(event: KeyState, action: "down" | "up", isMac: boolean): KeyMessage {
  const { code, keyCode, location, repeat } = event;
  const modifiers = remoteModifiers(event, isMac) & ~(makesCharacter(event, isMac) ? ALT | CONTROL : 0);
  const message: KeyMessage = {
    type: "key",
    action,
    key: event.key,
    code,
    keyCode,
    location,
    repeat,
    modifiers,
  };
  if (!isMac || event.key !== "Meta") return message;
  return { ...message, key: "Control", code: code.replace("Meta", "Control"), keyCode: 17 };
}

/** AltGr, and Option on a Mac, select characters, not shortcuts. */
function makesCharacter(event: KeyState, isMac: boolean): boolean {
  if ([...event.key].length !== 1) return false;
  return isMac ? event.altKey && !event.ctrlKey && !event.metaKey : event.getModifierState("AltGraph");
}

export function isComposed(event: KeyState): boolean {
  return event.isComposing || event.keyCode === KEY_CODE_COMPOSED || COMPOSED_KEYS.has(event.key);
}

export function isPasteShortcut(event: KeyState, isMac: boolean): boolean {
  if (event.keyCode === KEY_CODE_V) return hasShortcutModifier(event, isMac);
  return !isMac && event.key === "Insert" && event.shiftKey && !event.ctrlKey && !event.altKey;
}

export function isAddressShortcut(event: KeyState, isMac: boolean): boolean {
  return event.keyCode === KEY_CODE_L && hasShortcutModifier(event, isMac) && !event.shiftKey;
}

function hasShortcutModifier(event: KeyState, isMac: boolean): boolean {
  return isMac ? event.metaKey && !event.ctrlKey && !event.altKey : event.ctrlKey && !event.altKey;
}

/** Whether Control, Alt and Shift were released alone. On Windows, AltGr+Shift looks the same but types. */
export function completesLeaveChord(event: KeyState): boolean {
  if (!CHORD_KEYS.has(event.key) || event.getModifierState("AltGraph")) return false;
  return event.ctrlKey && event.altKey && event.shiftKey && !event.metaKey;
}

export function leaveChordName(isMac: boolean): string {
  return isMac ? "Control+Option+Shift" : "Ctrl+Alt+Shift";
}

export function keyPress(key: "Backspace" | "Enter"): KeyMessage[] {
  const keyCode = key === "Enter" ? 13 : 8;
  const down: KeyMessage = {
    type: "key",
    action: "down",
    key,
    code: key,
    keyCode,
    location: 0,
    repeat: false,
    modifiers: 0,
  };
  return [down, { ...down, action: "up" }];
}
