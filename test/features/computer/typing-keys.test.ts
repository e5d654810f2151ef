import { describe, expect, it } from "vitest";
import {
  charactersOf,
  type Key,
  keyForCharacter,
  MAX_KEY_TEXT_LENGTH,
  MODIFIER,
  parseCombination,
  resolveKey,
  textWithModifiers,
  withShift,
} from "../../../src/features/computer/keys.ts";

function keyOf(name: string): Key {
  const key = resolveKey(name);
  if (key === undefined) throw new Error(`unknown key: ${name}`);
  return key;
}

describe("keyForCharacter", () => {
  it.each([
    ["\n", "Enter", "\r"],
    ["\r", "Enter", "\r"],
    ["\r\n", "Enter", "\r"],
    ["\t", "Tab", undefined],
    ["\b", "Backspace", undefined],
    ["\x7f", "Delete", undefined],
    [" ", "Space", " "],
    ["A", "KeyA", "A"],
    ["ü", "", "ü"],
    ["👩‍👩‍👧", "", "👩‍👩‍👧"],
  ])("types %j with the key %s", (character, code, text) => {
    expect(keyForCharacter(character)).toMatchObject({ code });
    expect(keyForCharacter(character).text).toBe(text);
  });

  it("has no text for control characters", () => {
    expect(keyForCharacter("\x01")).toMatchObject({ key: "Unidentified", code: "" });
    expect(keyForCharacter("\x01").text).toBeUndefined();
  });

  it("has a key with a short text for every printable ASCII character", () => {
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      const key = keyForCharacter(character);
      expect(key).toMatchObject({ key: character, text: character, location: 0 });
      expect(key.code).not.toBe("");
      expect(key.text?.length).toBeLessThanOrEqual(MAX_KEY_TEXT_LENGTH);
    }
  });
});

describe("parseCombination", () => {
  it.each([
    ["a", ["a"]],
    ["Ctrl+Shift+Tab", ["Ctrl", "Shift", "Tab"]],
    ["ctrl + t", ["ctrl", "t"]],
    ["+", ["plus"]],
    ["Ctrl++", ["Ctrl", "plus"]],
    ["Ctrl+plus", ["Ctrl", "plus"]],
    ["Ctrl+Shift++", ["Ctrl", "Shift", "plus"]],
    ["U+20AC", ["U20AC"]],
    ["Ctrl+u+1F600", ["Ctrl", "U1F600"]],
    ["U+a", ["U", "a"]],
    ["Ctrl+U", ["Ctrl", "U"]],
    [" ", [" "]],
    ["Ctrl+ ", ["Ctrl", " "]],
    ["", [""]],
    ["Ctrl+", ["Ctrl", ""]],
    ["+a", ["", "a"]],
    ["++", ["", "plus"]],
    ["a++b", ["a", "", "b"]],
  ])("reads %j", (text, names) => {
    expect(parseCombination(text)).toEqual(names);
  });
});

describe("withShift", () => {
  it.each([
    ["a", "A"],
    ["A", "A"],
    ["1", "!"],
    ["exclam", "exclam"],
    ["minus", "underscore"],
    ["apostrophe", "quotedbl"],
    ["space", "space"],
    ["Return", "Return"],
    ["Tab", "Tab"],
    ["F5", "F5"],
    ["Shift_L", "Shift_L"],
    ["KP_5", "KP_5"],
    ["KP_Equal", "KP_Equal"],
    ["eacute", "Eacute"],
    ["Greek_alpha", "Greek_ALPHA"],
    ["Cyrillic_ya", "Cyrillic_YA"],
    ["ssharp", "ssharp"],
    ["日", "日"],
  ])("turns %s into %s", (name, expected) => {
    expect(withShift(keyOf(name))).toEqual(keyOf(expected));
  });
});

describe("textWithModifiers", () => {
  it.each([
    ["a", 0, "a"],
    ["A", 0, "A"],
    ["a", MODIFIER.Shift, "A"],
    ["2", MODIFIER.Shift, "@"],
    ["eacute", MODIFIER.Shift, "É"],
    ["Return", MODIFIER.Shift, "\r"],
    ["KP_7", MODIFIER.Shift, "7"],
    ["a", MODIFIER.Control, undefined],
    ["a", MODIFIER.Alt, undefined],
    ["a", MODIFIER.Meta, undefined],
    ["a", MODIFIER.Control | MODIFIER.Shift, undefined],
    ["Left", 0, undefined],
    ["Left", MODIFIER.Shift, undefined],
  ])("of %s with modifiers %d is %j", (name, modifiers, text) => {
    expect(textWithModifiers(keyOf(name), modifiers)).toBe(text);
  });
});

describe("charactersOf", () => {
  it.each([
    ["", []],
    ["Ab 1", ["A", "b", " ", "1"]],
    ["a\r\nb\nc\rd", ["a", "\n", "b", "\n", "c", "\r", "d"]],
    ["👩‍👩‍👧🇩🇪🇫🇷👍🏽", ["👩‍👩‍👧", "🇩🇪", "🇫🇷", "👍🏽"]],
    ["e\u0301x", ["e\u0301", "x"]],
    ["한국", ["한", "국"]],
    ["a\ud800b", ["a", "\ufffd", "b"]],
  ])("splits %j", (text, characters) => {
    expect(charactersOf(text)).toEqual(characters);
  });
});
