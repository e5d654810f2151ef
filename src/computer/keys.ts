import { type KeyDefinition, type KeyInput, keyDefinitions } from "../browser/index.ts";
import { KEYSYM_TABLE } from "./keysym-table.ts";

/** Where a key lies that a keyboard has more than once: nowhere else, left, right, on the keypad. */
export type KeyLocation = 0 | 1 | 2 | 3;

/** A key as DevTools' `Input.dispatchKeyEvent` describes it. */
export interface Key {
  /** What the key means to a page: `a`, `Enter`, `AudioVolumeMute`. */
  key: string;
  /** The key on a US keyboard, `KeyA`; empty where that has none. */
  code: string;
  /** Windows' virtual key code, 0 where there is none. */
  keyCode: number;
  location: KeyLocation;
  /** What it types when nothing but Shift is held: "\r" for Enter. Absent for a key that types nothing. */
  text?: string;
  /** Whether it takes Shift to type that on a US keyboard. */
  needsShift: boolean;
  /** Its bit of MODIFIER, 0 for a key that is no modifier. */
  modifier: number;
}

/** The bits that DevTools' `modifiers` is made of, under the names that their keys have. */
export const MODIFIER = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const;

/** Chrome refuses a key event whose text has more UTF-16 units; longer text is inserted, not typed. */
export const MAX_KEY_TEXT_LENGTH = 3;

type KeyTuple = readonly [key: string, code: string, keyCode: number, location?: KeyLocation];

/**
 * Keysyms that are no characters, each with Puppeteer's name of the key or, where that has none, the key as Chrome
 * on Linux reports it. A keysym that Puppeteer has under the same name, such as F1, needs no entry, and of several
 * names of one keysym one is enough.
 */
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

/** What else keys are called, in the form that `spellingOf` gives; a keysym of that very name wins. */
const ALIASES: Readonly<Record<string, string>> = {
  // xdotool's own.
  alt: "Alt_L",
  ctrl: "Control_L",
  control: "Control_L",
  meta: "Meta_L",
  super: "Super_L",
  shift: "Shift_L",
  enter: "Return",
  return: "Return",
  // What people and models write who think of other systems, or of the DOM.
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

/** Control characters that a keyboard has a key for; others are never typed. */
const CONTROL_CHARACTERS: Readonly<Record<string, KeyInput>> = {
  "\b": "Backspace",
  "\t": "Tab",
  "\n": "Enter",
  "\r": "Enter",
  "\r\n": "Enter",
  "\x1b": "Escape",
  "\x7f": "Delete",
};

/** X11 gives a character that has no keysym of its own the one of its code point plus this. */
const UNICODE_KEYSYMS = 0x01000000;

interface KnownKeysym {
  /** The first of its names. */
  name: string;
  codePoint?: number;
  /** Absent for one that stands for a character, or for no key that Chrome knows. */
  key?: Key;
}

interface KnownKeysyms {
  byValue: Map<number, KnownKeysym>;
  values: Map<string, number>;
  /** Keysyms that one spelling cannot confuse: those of keys, and names of ASCII characters. */
  valuesBySpelling: Map<string, number>;
}

const US_LAYOUT = new Map<string, Key>();
const SHIFTED_BY_CODE = new Map<string, Key>();
for (const { key = "", shiftKey, code = "", keyCode = 0, location } of Object.values(keyDefinitions)) {
  // The keypad's keys have another meaning under Shift too, but it is Num Lock that chooses there.
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
 * The key of a name, which is the first of these that fits: an X11 keysym's name (`Page_Up`, `eacute`,
 * `XF86Back`), a single character of any script, a code point (`U20AC`, `U+20AC`), a keysym's number (`0x20ac`),
 * or another spelling of a key (`PageUp`, `ESC`, `cmd`).
 *
 * A keysym without a character that no key is known for gives one that bears its name and types nothing.
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
  const spelled = keysyms.valuesBySpelling.get(spellingOf(name));
  return spelled === undefined ? undefined : keyOfKeysym(keysyms, spelled);
}

/**
 * The key that types a character of `charactersOf`: the US keyboard's where that has one, else one that has no
 * place on a keyboard. For a control character without a key that is one that types nothing.
 */
export function keyForCharacter(character: string): Key {
  return characterKey(character) ?? keyWithoutPlace("Unidentified");
}

/**
 * The names in a combination: "Ctrl+Shift+Tab" has three. The plus key is `+` alone or at the end, "Ctrl++";
 * any other name that is missing is an empty one.
 */
export function parseCombination(text: string): string[] {
  if (text === "+") return ["plus"];
  const endsWithPlus = text.endsWith("++");
  const names = (endsWithPlus ? text.slice(0, -2) : text)
    // A code point may be written with a plus that separates nothing.
    .replace(/(^|\+)[Uu]\+(?=[0-9A-Fa-f]{4,6}(?:\+|$))/g, "$1U")
    .split("+")
    .map((name) => name.trim() || name);
  return endsWithPlus ? [...names, "plus"] : names;
}

/** Whether the key changes what others do while it is held. */
export function isModifier(key: Key): boolean {
  return key.modifier !== 0;
}

/** The key as Shift makes it: "a" becomes "A", "1" becomes "!", and what Shift does not change stays. */
export function shifted(key: Key): Key {
  if (key.needsShift || key.text === undefined || key.location !== 0) return key;
  if (key.code !== "") return SHIFTED_BY_CODE.get(key.code) ?? key;
  const upper = key.text.toUpperCase();
  // Of some letters the capital is two: no key types "SS".
  return upper.length === key.text.length ? { ...key, key: upper, text: upper } : key;
}

/** What the key types while modifiers are held: nothing under Control, Alt or Meta. */
export function textUnder(key: Key, modifiers: number): string | undefined {
  if ((modifiers & (MODIFIER.Control | MODIFIER.Alt | MODIFIER.Meta)) !== 0) return undefined;
  return ((modifiers & MODIFIER.Shift) !== 0 ? shifted(key) : key).text;
}

/** The text's characters as a reader counts them: an emoji of several code points is one, and so is "\r\n". */
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
  for (const entry of KEYSYM_TABLE.trim().split(/\s+/)) {
    const [list = "", digits = "", codePoint] = entry.split(":");
    const names = list.split(",");
    const value = Number.parseInt(digits, 16);
    const keysym: KnownKeysym = { name: names[0] ?? "" };
    if (codePoint !== undefined) keysym.codePoint = Number.parseInt(codePoint, 16);
    else keysym.key = names.map(namedKey).find((key) => key !== undefined);
    known.byValue.set(value, keysym);
    const isAscii = keysym.codePoint !== undefined && keysym.codePoint < 0x7f;
    for (const name of names) {
      known.values.set(name, value);
      if (keysym.key !== undefined || isAscii) known.valuesBySpelling.set(spellingOf(name), value);
    }
  }
  for (const [spelling, name] of Object.entries(ALIASES)) {
    const value = known.values.get(name);
    if (value !== undefined) known.valuesBySpelling.set(spelling, value);
  }
  return known;
}

/** A name without what its writers differ in. */
function spellingOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

function namedKey(name: string): Key | undefined {
  // The one keysym that is another key with Shift.
  if (name === "ISO_Left_Tab") return { ...layoutKey("Tab"), needsShift: true };
  const named = NAMED_KEYS[name] ?? (isKeyInput(name) ? name : undefined);
  if (named === undefined) return undefined;
  if (typeof named === "string") return layoutKey(named);
  const [key, code, keyCode, location = 0] = named;
  return { ...keyWithoutPlace(key), code, keyCode, location, ...textOf(key) };
}

function isKeyInput(name: string): name is KeyInput {
  return Object.hasOwn(keyDefinitions, name);
}

/** A key of Puppeteer's layout, as it is without Shift. */
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

/** A key that is called by one character types it. */
function textOf(key: string): Pick<Key, "text"> {
  return key.length === 1 ? { text: key } : {};
}
