import { lookUp } from "durable-machine/look-up";
import { type KeyDefinition, type KeyInput, keyDefinitions } from "../../platform/browser/index.ts";
import { InvalidInputError } from "./errors.ts";
import { listKeysyms, UNICODE_KEYSYMS } from "./keysyms.ts";

export type KeyLocation = 0 | 1 | 2 | 3;

export interface Key {
  key: string;
  /** `KeyA`; empty if a US keyboard lacks the key. */
  code: string;
  keyCode: number;
  location: KeyLocation;
  text?: string;
  needsShift: boolean;
  modifier: number;
}

export const MODIFIER = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const;

/** In UTF-16 units. Chrome refuses a key event with longer text, which is inserted instead. */
export const MAX_KEY_TEXT_LENGTH = 3;

type KeyTuple = readonly [key: string, code: string, keyCode: number, location?: KeyLocation];

/** Non-character keysyms, with Puppeteer's or Linux Chrome's key. Puppeteer's names (F1) need no entry. */
const NAMED_KEYS: Readonly<Record<string, KeyInput | KeyTuple>> = {
  BackSpace: "Backspace",
  Linefeed: "Enter",
  Return: "Enter",
  ISO_Enter: "Enter",
  Prior: "PageUp",
  Next: "PageDown",
  Left: "ArrowLeft",
  Right: "ArrowRight",
  Up: "ArrowUp",
  Down: "ArrowDown",
  Clear: ["Clear", "", 12],
  Print: "PrintScreen",
  Break: "Pause",
  Menu: "ContextMenu",
  Help: ["Help", "Help", 47],
  Undo: ["Undo", "Undo", 0],
  Redo: ["Redo", "Again", 0],
  Find: ["Find", "Find", 0],
  Multi_key: ["Compose", "", 0],

  Shift_L: "ShiftLeft",
  Shift_R: "ShiftRight",
  Control_L: "ControlLeft",
  Control_R: "ControlRight",
  Alt_L: "AltLeft",
  Alt_R: "AltRight",
  Meta_L: "MetaLeft",
  Meta_R: "MetaRight",
  Super_L: "MetaLeft",
  Super_R: "MetaRight",
  Hyper_L: ["Hyper", "", 0, 1],
  Hyper_R: ["Hyper", "", 0, 2],
  ISO_Level3_Shift: ["AltGraph", "AltRight", 225, 2],
  Mode_switch: "ModeChange",
  Caps_Lock: "CapsLock",
  Num_Lock: "NumLock",
  Scroll_Lock: "ScrollLock",

  Kanji: ["KanjiMode", "", 25],
  Henkan: "Convert",
  Muhenkan: "NonConvert",
  Romaji: ["Romaji", "", 0],
  Hiragana_Katakana: ["HiraganaKatakana", "KanaMode", 0],
  Zenkaku_Hankaku: ["ZenkakuHankaku", "", 0],
  Eisu_toggle: ["Alphanumeric", "", 0],
  Hangul: ["HangulMode", "Lang1", 21],
  Hangul_Hanja: ["HanjaMode", "Lang2", 25],

  KP_Enter: "NumpadEnter",
  KP_Tab: "Tab",
  KP_Space: "Space",
  KP_F1: "F1",
  KP_F2: "F2",
  KP_F3: "F3",
  KP_F4: "F4",
  KP_Home: "Numpad7",
  KP_Up: "Numpad8",
  KP_Prior: "Numpad9",
  KP_Left: "Numpad4",
  KP_Begin: "Numpad5",
  KP_Right: "Numpad6",
  KP_End: "Numpad1",
  KP_Down: "Numpad2",
  KP_Next: "Numpad3",
  KP_Insert: "Numpad0",
  KP_Delete: ["Delete", "NumpadDecimal", 46, 3],
  KP_Decimal: [".", "NumpadDecimal", 110, 3],
  KP_Separator: [",", "NumpadComma", 108, 3],
  KP_Add: "NumpadAdd",
  KP_Subtract: "NumpadSubtract",
  KP_Multiply: "NumpadMultiply",
  KP_Divide: "NumpadDivide",
  KP_Equal: "NumpadEqual",
  KP_0: ["0", "Numpad0", 96, 3],
  KP_1: ["1", "Numpad1", 97, 3],
  KP_2: ["2", "Numpad2", 98, 3],
  KP_3: ["3", "Numpad3", 99, 3],
  KP_4: ["4", "Numpad4", 100, 3],
  KP_5: ["5", "Numpad5", 101, 3],
  KP_6: ["6", "Numpad6", 102, 3],
  KP_7: ["7", "Numpad7", 103, 3],
  KP_8: ["8", "Numpad8", 104, 3],
  KP_9: ["9", "Numpad9", 105, 3],

  XF86Back: ["BrowserBack", "BrowserBack", 166],
  XF86Forward: ["BrowserForward", "BrowserForward", 167],
  XF86Reload: ["BrowserRefresh", "BrowserRefresh", 168],
  XF86Refresh: ["BrowserRefresh", "BrowserRefresh", 168],
  XF86Stop: ["BrowserStop", "BrowserStop", 169],
  XF86Search: ["BrowserSearch", "BrowserSearch", 170],
  XF86Favorites: ["BrowserFavorites", "BrowserFavorites", 171],
  XF86HomePage: ["BrowserHome", "BrowserHome", 172],
  XF86AudioMute: "AudioVolumeMute",
  XF86AudioLowerVolume: "AudioVolumeDown",
  XF86AudioRaiseVolume: "AudioVolumeUp",
  XF86AudioNext: "MediaTrackNext",
  XF86AudioPrev: "MediaTrackPrevious",
  XF86AudioStop: "MediaStop",
  XF86AudioPlay: "MediaPlayPause",
  XF86AudioPause: ["MediaPause", "MediaPause", 0],
  XF86AudioRecord: ["MediaRecord", "MediaRecord", 0],
  XF86AudioRewind: ["MediaRewind", "MediaRewind", 0],
  XF86AudioForward: ["MediaFastForward", "MediaFastForward", 0],
  XF86AudioMedia: ["LaunchMediaPlayer", "MediaSelect", 181],
  XF86Mail: ["LaunchMail", "LaunchMail", 180],
  XF86MyComputer: ["LaunchApplication1", "LaunchApp1", 182],
  XF86Calculator: ["LaunchApplication2", "LaunchApp2", 183],
  XF86Copy: ["Copy", "Copy", 0],
  XF86Cut: ["Cut", "Cut", 0],
  XF86Paste: ["Paste", "Paste", 0],
  XF86ZoomIn: ["ZoomIn", "", 0],
  XF86ZoomOut: ["ZoomOut", "", 0],
  XF86MonBrightnessUp: ["BrightnessUp", "BrightnessUp", 217],
  XF86MonBrightnessDown: ["BrightnessDown", "BrightnessDown", 216],
  XF86Eject: "Eject",
  XF86PowerOff: "Power",
  XF86Sleep: ["Standby", "Sleep", 95],
  XF86WakeUp: ["WakeUp", "WakeUp", 0],
};

/** Aliases in the form of `normalizeKeyName`. A keysym of the same name takes precedence. */
const ALIASES: Readonly<Record<string, string>> = {
  alt: "Alt_L",
  ctrl: "Control_L",
  control: "Control_L",
  meta: "Meta_L",
  super: "Super_L",
  shift: "Shift_L",
  enter: "Return",
  return: "Return",
  altgr: "ISO_Level3_Shift",
  arrowdown: "Down",
  arrowleft: "Left",
  arrowright: "Right",
  arrowup: "Up",
  cmd: "Super_L",
  command: "Super_L",
  contextmenu: "Menu",
  del: "Delete",
  esc: "Escape",
  ins: "Insert",
  option: "Alt_L",
  pgdn: "Next",
  pgup: "Prior",
  printscreen: "Print",
  spacebar: "space",
  win: "Super_L",
  windows: "Super_L",
};

/** Control characters without a key are never typed. */
const CONTROL_CHARACTERS: Readonly<Record<string, KeyInput>> = {
  "\b": "Backspace",
  "\t": "Tab",
  "\n": "Enter",
  "\r": "Enter",
  "\r\n": "Enter",
  "\x1b": "Escape",
  "\x7f": "Delete",
};

interface KnownKeysym {
  name: string;
  codePoint?: number;
  key?: Key;
}

interface KnownKeysyms {
  byValue: Map<number, KnownKeysym>;
  values: Map<string, number>;
  valuesBySpelling: Map<string, number>;
}

const US_LAYOUT = new Map<string, Key>();
const SHIFTED_BY_CODE = new Map<string, Key>();
for (const { key = "", shiftKey, code = "", keyCode = 0, location } of Object.values(keyDefinitions)) {
  // Num Lock, not Shift, selects the keypad's second meaning.
  if (shiftKey === undefined || location !== undefined) continue;
  const plain: Key = { key, code, keyCode, location: 0, text: key, needsShift: false, modifier: 0 };
  const upper: Key = { ...plain, key: shiftKey, text: shiftKey, needsShift: true };
  US_LAYOUT.set(key, plain).set(shiftKey, upper);
  SHIFTED_BY_CODE.set(code, upper);
}
US_LAYOUT.set(" ", layoutKey("Space"));

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

let keysyms: KnownKeysyms | undefined;

/**
 * Accepts, in this order: an X11 keysym's name (`Page_Up`, `eacute`, `XF86Back`), one character of any
 * script, a code point (`U20AC`, `U+20AC`), a keysym's number (`0x20ac`), or another spelling (`PageUp`,
 * `ESC`, `cmd`). A known keysym without key or character results in a key that types nothing.
 */
export function resolveKey(name: string): Key | undefined {
  keysyms ??= readTable();
  const value = keysyms.values.get(name);
  if (value !== undefined) return keyOfKeysym(keysyms, value);
  if (name.isWellFormed() && charactersOf(name).length === 1) return characterKey(name);
  const [, codePoint] = /^(?:U|[Uu]\+)([0-9A-Fa-f]{1,8})$/.exec(name) ?? [];
  if (codePoint !== undefined) return codePointKey(Number.parseInt(codePoint, 16));
  const [, number] = /^0[Xx]([0-9A-Fa-f]{1,8})$/.exec(name) ?? [];
  if (number !== undefined) return keyOfKeysym(keysyms, Number.parseInt(number, 16));
  const spelled = keysyms.valuesBySpelling.get(normalizeKeyName(name));
  return spelled === undefined ? undefined : keyOfKeysym(keysyms, spelled);
}

export function keyForCharacter(character: string): Key {
  return characterKey(character) ?? keyWithoutPlace("Unidentified");
}

/** Splits "Ctrl+Tab". `+` alone or at the end ("Ctrl++") is the plus key. Other missing names are empty. */
export function parseCombination(text: string): string[] {
  if (text === "+") return ["plus"];
  const endsWithPlus = text.endsWith("++");
  const names = (endsWithPlus ? text.slice(0, -2) : text)
    // The plus in `U+20AC` is not a separator.
    .replace(/(^|\+)[Uu]\+(?=[0-9A-Fa-f]{4,6}(?:\+|$))/g, "$1U")
    .split("+")
    .map((name) => name.trim() || name);
  return endsWithPlus ? [...names, "plus"] : names;
}

export function isModifier(key: Key): boolean {
  return key.modifier !== 0;
}

export function withShift(key: Key): Key {
  if (key.needsShift || key.text === undefined || key.location !== 0) return key;
  if (key.code !== "") return SHIFTED_BY_CODE.get(key.code) ?? key;
  const upper = key.text.toUpperCase();
  // Some capitals have two letters, which no key types.
  return upper.length === key.text.length ? { ...key, key: upper, text: upper } : key;
}

export function textWithModifiers(key: Key, modifiers: number): string | undefined {
  if ((modifiers & (MODIFIER.Control | MODIFIER.Alt | MODIFIER.Meta)) !== 0) return undefined;
  return ((modifiers & MODIFIER.Shift) !== 0 ? withShift(key) : key).text;
}

export function charactersOf(text: string): string[] {
  return Array.from(GRAPHEMES.segment(text.toWellFormed()), ({ segment }) =>
    segment === "\r\n" ? "\n" : segment,
  );
}

function characterKey(character: string): Key | undefined {
  const control = CONTROL_CHARACTERS[character];
  if (control !== undefined) return layoutKey(control);
  if (/^\p{Cc}/u.test(character)) return undefined;
  return US_LAYOUT.get(character) ?? { ...keyWithoutPlace(character), text: character };
}

function codePointKey(codePoint: number): Key | undefined {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (isSurrogate || codePoint > 0x10ffff) return undefined;
  return characterKey(String.fromCodePoint(codePoint));
}

function keyOfKeysym({ byValue }: KnownKeysyms, value: number): Key | undefined {
  const keysym = byValue.get(value);
  if (keysym?.key !== undefined) return keysym.key;
  if (keysym?.codePoint !== undefined) return codePointKey(keysym.codePoint);
  if (keysym !== undefined) return keyWithoutPlace(keysym.name.startsWith("dead_") ? "Dead" : keysym.name);
  return value >= UNICODE_KEYSYMS ? codePointKey(value - UNICODE_KEYSYMS) : undefined;
}

function keyWithoutPlace(key: string): Key {
  return { key, code: "", keyCode: 0, location: 0, needsShift: false, modifier: 0 };
}

function readTable(): KnownKeysyms {
  const known: KnownKeysyms = { byValue: new Map(), values: new Map(), valuesBySpelling: new Map() };
  for (const { names, value, codePoint } of listKeysyms()) {
    const keysym: KnownKeysym = { name: names[0] ?? "" };
    if (codePoint !== undefined) keysym.codePoint = codePoint;
    else keysym.key = names.map(namedKey).find((key) => key !== undefined);
    known.byValue.set(value, keysym);
    const isAscii = codePoint !== undefined && codePoint < 0x7f;
    for (const name of names) {
      known.values.set(name, value);
      if (keysym.key !== undefined || isAscii) known.valuesBySpelling.set(normalizeKeyName(name), value);
    }
  }
  for (const [spelling, name] of Object.entries(ALIASES)) {
    const value = known.values.get(name);
    if (value !== undefined) known.valuesBySpelling.set(spelling, value);
  }
  return known;
}

function normalizeKeyName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

function namedKey(name: string): Key | undefined {
  // The only keysym that is another key with Shift.
  if (name === "ISO_Left_Tab") return { ...layoutKey("Tab"), needsShift: true };
  const named = lookUp(NAMED_KEYS, name) ?? (isKeyInput(name) ? name : undefined);
  if (named === undefined) return undefined;
  if (typeof named === "string") return layoutKey(named);
  const [key, code, keyCode, location = 0] = named;
  return { ...keyWithoutPlace(key), code, keyCode, location, ...textOf(key) };
}

function isKeyInput(name: string): name is KeyInput {
  return Object.hasOwn(keyDefinitions, name);
}

function layoutKey(name: KeyInput): Key {
  const { key = name, code = "", keyCode = 0, location, text }: KeyDefinition = keyDefinitions[name];
  return {
    ...keyWithoutPlace(key),
    code,
    keyCode,
    location: location === 1 || location === 2 || location === 3 ? location : 0,
    ...(text === undefined ? textOf(key) : { text }),
    modifier: isModifierName(key) ? MODIFIER[key] : 0,
  };
}

function isModifierName(key: string): key is keyof typeof MODIFIER {
  return Object.hasOwn(MODIFIER, key);
}

function textOf(key: string): Pick<Key, "text"> {
  return key.length === 1 ? { text: key } : {};
}

/** Reads the keys of a combination such as `Ctrl+c`. @throws InvalidInputError */
export function readCombination(text: string, field: string): Key[] {
  const names = parseCombination(text);
  const missing = names.indexOf("");
  if (missing !== -1 && names.length > 1) {
    const side = missing === 0 ? "before" : "after";
    throw new InvalidInputError(field, `a key is missing ${side} + in "${text}"`);
  }
  return names.map((name) => readKey(name, field));
}

function readKey(name: string, field: string): Key {
  const key = resolveKey(name);
  if (key === undefined) throw new InvalidInputError(field, `"${name}" is not a key; use an X11 keysym name`);
  return key;
}

/** @throws InvalidInputError */
export function readModifier(name: string, field: string): Key {
  const key = readKey(name, field);
  if (!isModifier(key)) throw new InvalidInputError(field, `"${name}" is not a modifier key`);
  return key;
}
