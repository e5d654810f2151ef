import { describe, expect, it } from "vitest";
import {
  isModifier,
  type Key,
  keyForCharacter,
  MODIFIER,
  resolveKey,
} from "../../../src/features/computer/keys.ts";
import { listKeysyms } from "../../../src/features/computer/keysyms.ts";

const ENTRIES = listKeysyms();

/** What a key has that is nowhere on a US keyboard. */
const ELSEWHERE = { code: "", keyCode: 0, location: 0, needsShift: false, modifier: 0 };

function keyOf(name: string): Key {
  const key = resolveKey(name);
  if (key === undefined) throw new Error(`unknown key: ${name}`);
  return key;
}

describe("listKeysyms", () => {
  it("has no duplicate names or numbers", () => {
    const names = ENTRIES.flatMap((entry) => entry.names);
    expect(names.length).toBeGreaterThan(2400);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(ENTRIES.map(({ value }) => value)).size).toBe(ENTRIES.length);
  });

  it("resolves every name and number, with all names of a keysym alike", () => {
    for (const { names, value, codePoint } of ENTRIES) {
      const key = resolveKey(`0x${value.toString(16)}`);
      expect(key, names.join()).toBeDefined();
      expect(key?.key, names.join()).not.toBe("");
      for (const name of names) expect(resolveKey(name), name).toEqual(key);
      if (codePoint === undefined) continue;
      expect(key?.text, names.join()).toBe(String.fromCodePoint(codePoint));
    }
  });
});

describe("resolveKey", () => {
  it.each([..."abcdefghijklmnopqrstuvwxyz"])("resolves the letter %s in both cases", (letter) => {
    const capital = letter.toUpperCase();
    const place = { code: `Key${capital}`, keyCode: capital.charCodeAt(0), location: 0, modifier: 0 };
    expect(resolveKey(letter)).toEqual({ ...place, key: letter, text: letter, needsShift: false });
    expect(resolveKey(capital)).toEqual({ ...place, key: capital, text: capital, needsShift: true });
  });

  it.each([..."0123456789"])("resolves the digit %s, also on the keypad", (digit) => {
    const key = { ...ELSEWHERE, key: digit, text: digit };
    const number = Number(digit);
    expect(resolveKey(digit)).toEqual({ ...key, code: `Digit${digit}`, keyCode: 48 + number });
    const onKeypad = { ...key, code: `Numpad${digit}`, keyCode: 96 + number, location: 3 };
    expect(resolveKey(`KP_${digit}`)).toEqual(onKeypad);
  });

  it.each([
    ["space", " ", "Space", 32, false],
    ["minus", "-", "Minus", 189, false],
    ["underscore", "_", "Minus", 189, true],
    ["equal", "=", "Equal", 187, false],
    ["plus", "+", "Equal", 187, true],
    ["bracketleft", "[", "BracketLeft", 219, false],
    ["braceleft", "{", "BracketLeft", 219, true],
    ["bracketright", "]", "BracketRight", 221, false],
    ["braceright", "}", "BracketRight", 221, true],
    ["backslash", "\\", "Backslash", 220, false],
    ["bar", "|", "Backslash", 220, true],
    ["semicolon", ";", "Semicolon", 186, false],
    ["colon", ":", "Semicolon", 186, true],
    ["apostrophe", "'", "Quote", 222, false],
    ["quotedbl", '"', "Quote", 222, true],
    ["grave", "`", "Backquote", 192, false],
    ["asciitilde", "~", "Backquote", 192, true],
    ["comma", ",", "Comma", 188, false],
    ["less", "<", "Comma", 188, true],
    ["period", ".", "Period", 190, false],
    ["greater", ">", "Period", 190, true],
    ["slash", "/", "Slash", 191, false],
    ["question", "?", "Slash", 191, true],
    ["exclam", "!", "Digit1", 49, true],
    ["at", "@", "Digit2", 50, true],
    ["numbersign", "#", "Digit3", 51, true],
    ["dollar", "$", "Digit4", 52, true],
    ["percent", "%", "Digit5", 53, true],
    ["asciicircum", "^", "Digit6", 54, true],
    ["ampersand", "&", "Digit7", 55, true],
    ["asterisk", "*", "Digit8", 56, true],
    ["parenleft", "(", "Digit9", 57, true],
    ["parenright", ")", "Digit0", 48, true],
  ])("resolves %s on the main keys", (name, text, code, keyCode, needsShift) => {
    const key = { key: text, text, code, keyCode, location: 0, needsShift, modifier: 0 };
    expect(resolveKey(name)).toEqual(key);
    expect(resolveKey(text)).toEqual(key);
    expect(keyForCharacter(text)).toEqual(key);
  });

  it.each([
    ["KP_Add", "+", "NumpadAdd", 107, "+"],
    ["KP_Subtract", "-", "NumpadSubtract", 109, "-"],
    ["KP_Multiply", "*", "NumpadMultiply", 106, "*"],
    ["KP_Divide", "/", "NumpadDivide", 111, "/"],
    ["KP_Decimal", ".", "NumpadDecimal", 110, "."],
    ["KP_Separator", ",", "NumpadComma", 108, ","],
    ["KP_Equal", "=", "NumpadEqual", 187, "="],
    ["KP_Enter", "Enter", "NumpadEnter", 13, "\r"],
    ["KP_Home", "Home", "Numpad7", 36, undefined],
    ["KP_Up", "ArrowUp", "Numpad8", 38, undefined],
    ["KP_Prior", "PageUp", "Numpad9", 33, undefined],
    ["KP_Page_Up", "PageUp", "Numpad9", 33, undefined],
    ["KP_Left", "ArrowLeft", "Numpad4", 37, undefined],
    ["KP_Begin", "Clear", "Numpad5", 12, undefined],
    ["KP_Right", "ArrowRight", "Numpad6", 39, undefined],
    ["KP_End", "End", "Numpad1", 35, undefined],
    ["KP_Down", "ArrowDown", "Numpad2", 40, undefined],
    ["KP_Next", "PageDown", "Numpad3", 34, undefined],
    ["KP_Page_Down", "PageDown", "Numpad3", 34, undefined],
    ["KP_Insert", "Insert", "Numpad0", 45, undefined],
    ["KP_Delete", "Delete", "NumpadDecimal", 46, undefined],
  ])("resolves %s on the keypad", (name, key, code, keyCode, text) => {
    expect(resolveKey(name)).toEqual({ ...ELSEWHERE, key, code, keyCode, location: 3, text });
  });

  it.each([
    ["Return", "Enter", "Enter", 13, "\r"],
    ["Linefeed", "Enter", "Enter", 13, "\r"],
    ["Tab", "Tab", "Tab", 9, undefined],
    ["BackSpace", "Backspace", "Backspace", 8, undefined],
    ["Escape", "Escape", "Escape", 27, undefined],
    ["Delete", "Delete", "Delete", 46, undefined],
    ["Insert", "Insert", "Insert", 45, undefined],
    ["Home", "Home", "Home", 36, undefined],
    ["End", "End", "End", 35, undefined],
    ["Page_Up", "PageUp", "PageUp", 33, undefined],
    ["Prior", "PageUp", "PageUp", 33, undefined],
    ["Page_Down", "PageDown", "PageDown", 34, undefined],
    ["Next", "PageDown", "PageDown", 34, undefined],
    ["Left", "ArrowLeft", "ArrowLeft", 37, undefined],
    ["Up", "ArrowUp", "ArrowUp", 38, undefined],
    ["Right", "ArrowRight", "ArrowRight", 39, undefined],
    ["Down", "ArrowDown", "ArrowDown", 40, undefined],
    ["Caps_Lock", "CapsLock", "CapsLock", 20, undefined],
    ["Num_Lock", "NumLock", "NumLock", 144, undefined],
    ["Scroll_Lock", "ScrollLock", "ScrollLock", 145, undefined],
    ["Print", "PrintScreen", "PrintScreen", 44, undefined],
    ["Pause", "Pause", "Pause", 19, undefined],
    ["Break", "Pause", "Pause", 19, undefined],
    ["Menu", "ContextMenu", "ContextMenu", 93, undefined],
    ["Help", "Help", "Help", 47, undefined],
    ["Clear", "Clear", "", 12, undefined],
    ["KP_F1", "F1", "F1", 112, undefined],
    ["L1", "F11", "F11", 122, undefined],
    ["XF86AudioMute", "AudioVolumeMute", "AudioVolumeMute", 173, undefined],
    ["XF86AudioLowerVolume", "AudioVolumeDown", "AudioVolumeDown", 174, undefined],
    ["XF86AudioRaiseVolume", "AudioVolumeUp", "AudioVolumeUp", 175, undefined],
    ["XF86AudioNext", "MediaTrackNext", "MediaTrackNext", 176, undefined],
    ["XF86AudioPrev", "MediaTrackPrevious", "MediaTrackPrevious", 177, undefined],
    ["XF86AudioStop", "MediaStop", "MediaStop", 178, undefined],
    ["XF86AudioPlay", "MediaPlayPause", "MediaPlayPause", 179, undefined],
    ["XF86Back", "BrowserBack", "BrowserBack", 166, undefined],
    ["XF86Forward", "BrowserForward", "BrowserForward", 167, undefined],
    ["XF86Reload", "BrowserRefresh", "BrowserRefresh", 168, undefined],
    ["XF86Stop", "BrowserStop", "BrowserStop", 169, undefined],
    ["XF86HomePage", "BrowserHome", "BrowserHome", 172, undefined],
  ])("resolves %s", (name, key, code, keyCode, text) => {
    expect(resolveKey(name)).toEqual({ ...ELSEWHERE, key, code, keyCode, text });
  });

  it("resolves F1 to F24 with key codes and F25 to F35 by name", () => {
    for (let number = 1; number <= 35; number++) {
      const name = `F${number}`;
      const known = number <= 24 ? { code: name, keyCode: 111 + number } : {};
      expect(resolveKey(name)).toEqual({ ...ELSEWHERE, key: name, ...known });
    }
  });

  it.each([
    ["Shift", "Shift", "Shift", 16, 16, MODIFIER.Shift],
    ["Control", "Control", "Control", 17, 17, MODIFIER.Control],
    ["Alt", "Alt", "Alt", 18, 18, MODIFIER.Alt],
    ["Meta", "Meta", "Meta", 91, 92, MODIFIER.Meta],
    ["Super", "Meta", "Meta", 91, 92, MODIFIER.Meta],
  ])("resolves the modifier %s on both sides", (name, key, code, left, right, modifier) => {
    const common = { key, needsShift: false, modifier };
    expect(resolveKey(`${name}_L`)).toEqual({ ...common, code: `${code}Left`, keyCode: left, location: 1 });
    expect(resolveKey(`${name}_R`)).toEqual({ ...common, code: `${code}Right`, keyCode: right, location: 2 });
    expect(isModifier(keyOf(`${name}_L`))).toBe(true);
  });

  it("does not treat other keys as modifiers", () => {
    for (const name of ["a", "Return", "Caps_Lock", "ISO_Level3_Shift", "Hyper_L", "XF86Back"]) {
      expect(isModifier(keyOf(name)), name).toBe(false);
    }
    expect(MODIFIER).toEqual({ Alt: 1, Control: 2, Meta: 4, Shift: 8 });
  });

  it.each([
    ["eacute", "é"],
    ["Eth", "Ð"],
    ["ssharp", "ß"],
    ["Aogonek", "Ą"],
    ["OE", "Œ"],
    ["Greek_alpha", "α"],
    ["Greek_OMEGA", "Ω"],
    ["Cyrillic_a", "а"],
    ["Ukranian_je", "є"],
    ["Arabic_hamza", "ء"],
    ["Arabic_heh", "ه"],
    ["hebrew_aleph", "א"],
    ["hebrew_beth", "ב"],
    ["Thai_kokai", "ก"],
    ["Hangul_Kiyeog", "ㄱ"],
    ["kana_A", "ア"],
    ["Armenian_ayb", "ա"],
    ["Georgian_an", "ა"],
    ["EuroSign", "€"],
    ["WonSign", "₩"],
    ["yen", "¥"],
    ["braille_dots_1", "⠁"],
    ["leftarrow", "←"],
    ["squareroot", "√"],
    ["topleftradical", "┌"],
  ])("resolves %s, which is not on a US keyboard", (name, text) => {
    const key = { ...ELSEWHERE, key: text, text };
    expect(resolveKey(name)).toEqual(key);
    expect(resolveKey(text)).toEqual(key);
  });

  it.each([
    ["dead_acute", "Dead"],
    ["dead_greek", "Dead"],
    ["Multi_key", "Compose"],
    ["XF86Launch0", "XF86Launch0"],
    ["XF86DVD", "XF86DVD"],
    ["VoidSymbol", "VoidSymbol"],
  ])("resolves %s to a key without text", (name, key) => {
    expect(resolveKey(name)).toEqual({ ...ELSEWHERE, key });
  });

  it("resolves ISO_Left_Tab to Shift+Tab", () => {
    expect(resolveKey("ISO_Left_Tab")).toEqual({ ...keyForCharacter("\t"), needsShift: true });
  });

  it.each([
    ["alt Alt ALT Option", "Alt_L"],
    ["ctrl Ctrl CTRL control Control", "Control_L"],
    ["meta Meta", "Meta_L"],
    ["super Super Cmd Command cmd Win Windows", "Super_L"],
    ["shift Shift SHIFT", "Shift_L"],
    ["enter Enter ENTER return RETURN", "Return"],
    ["Esc ESC esc escape ESCAPE", "Escape"],
    ["Del DEL delete", "Delete"],
    ["Ins insert", "Insert"],
    ["PgUp PageUp pageup page_up Page-Up", "Page_Up"],
    ["PgDn PageDown PAGEDOWN", "Page_Down"],
    ["ArrowLeft left LEFT", "Left"],
    ["ArrowRight right", "Right"],
    ["ArrowUp up", "Up"],
    ["ArrowDown down", "Down"],
    ["Backspace backspace", "BackSpace"],
    ["Space SPACE Spacebar", "space"],
    ["CapsLock capslock", "Caps_Lock"],
    ["tab TAB", "Tab"],
    ["f5", "F5"],
    ["Plus", "plus"],
    ["xf86back", "XF86Back"],
    ["AltGr", "ISO_Level3_Shift"],
  ])("resolves %s to %s", (spellings, name) => {
    for (const spelling of spellings.split(" ")) expect(resolveKey(spelling), spelling).toEqual(keyOf(name));
  });

  it("prefers exact keysym names to other spellings", () => {
    expect(keyOf("eth").text).toBe("ð");
    expect(keyOf("ETH").text).toBe("Ð");
    expect(keyOf("uparrow").text).toBe("↑");
    expect(keyOf("U").code).toBe("KeyU");
  });

  it.each([
    ["U20AC", "€"],
    ["U20ac", "€"],
    ["U+20AC", "€"],
    ["u+20ac", "€"],
    ["0x20ac", "€"],
    ["0x10020ac", "€"],
    ["0x6c1", "а"],
    ["0xe9", "é"],
    ["0x10000e9", "é"],
    ["U1F600", "😀"],
    ["0x101f600", "😀"],
    ["U10FFFF", "\u{10ffff}"],
    ["U000041", "A"],
  ])("resolves %s to %s", (name, character) => {
    expect(resolveKey(name)).toEqual(keyForCharacter(character));
  });

  it.each([
    ["0xff0d", "Return"],
    ["0XFF55", "Page_Up"],
    ["0xffb5", "KP_5"],
    ["0x1008ff26", "XF86Back"],
    ["UD", "Return"],
    ["U0009", "Tab"],
    ["\r", "Return"],
    ["\x1b", "Escape"],
  ])("resolves %j to %s", (name, keysym) => {
    expect(resolveKey(name)).toEqual(keyOf(keysym));
  });

  it.each([
    "",
    "  ",
    "nonsense",
    "constructor",
    "hasOwnProperty",
    "ab",
    "F36",
    "KP_10",
    "XF86Nothing",
    "--",
    "_-",
  ])("rejects %j", (name) => expect(resolveKey(name)).toBeUndefined());

  it.each([
    ["U0", "0x0", "0x1000000", "\0", "U1", "\x01", "U9F", "\x9f"],
    ["UD800", "UDFFF", "U+DC00", "0x100d800", "\ud800", "\udc00", "U110000", "U+FFFFFFFF", "0x1110000"],
    ["U+", "0x", "U+G", "0xg", "U20AC ", "0x123456789", "0x7fffffff", "0xfe00"],
  ])("rejects %j and similar names", (...names) => {
    // A surrogate in a failure report would break vitest's connection to the worker.
    for (const name of names) expect(resolveKey(name) === undefined, JSON.stringify(name)).toBe(true);
  });

  it("resolves a single character of any length", () => {
    for (const character of ["日", "ñ", "n\u0303", "😀", "👩‍👩‍👧", "🇩🇪", "👍🏽"]) {
      expect(keyOf(character)).toMatchObject({ key: character, text: character, code: "" });
    }
    expect(resolveKey("日本")).toBeUndefined();
    expect(resolveKey("😀😀")).toBeUndefined();
  });
});
