import { describe, expect, it } from "vitest";
import { MODIFIER, resolveKey, textWithModifiers } from "../../../src/features/computer/keys.ts";
import { LineField } from "../../../src/features/computer/text-field.ts";

/** Presses keys, given by name, in a field with initial text. */
function press(text: string, ...names: string[]): string {
  const field = new LineField(text);
  for (const name of names) {
    const [last = "", held] = name.split("+").reverse();
    const key = resolveKey(last);
    if (key === undefined) throw new Error(`unknown key: ${last}`);
    const modifiers = held === "Ctrl" ? MODIFIER.Control : held === "Shift" ? MODIFIER.Shift : 0;
    field.press(key, modifiers, textWithModifiers(key, modifiers));
  }
  return field.text;
}

describe("LineField", () => {
  it.each<[string, string, string[], string]>([
    ["keeps its text without keys", "old", [], "old"],
    ["replaces the initial text when typing", "old", ["n", "e", "w"], "new"],
    ["appends after End clears the selection", "old", ["End", "e", "r"], "older"],
    ["appends after an arrow clears the selection", "old", ["Right", "1"], "old1"],
    ["appends after Home clears the selection", "old", ["Home", "1"], "old1"],
    ["types capitals", "", ["Shift+a"], "A"],
    ["types spaces", "", ["a", "space", "b"], "a b"],
    ["erases the selection with BackSpace", "old", ["BackSpace"], ""],
    ["erases the selection with Delete", "old", ["Delete"], ""],
    ["erases from the end", "old", ["End", "BackSpace"], "ol"],
    ["erases nothing with Delete at the end", "old", ["End", "Delete"], "old"],
    ["types after erasing", "old", ["BackSpace", "x"], "x"],
    ["ignores BackSpace when empty", "a", ["End", "BackSpace", "BackSpace"], ""],
    ["replaces all text after Ctrl+A", "", ["a", "b", "Ctrl+a", "c"], "c"],
    ["erases all text after Ctrl+A", "", ["a", "b", "Ctrl+a", "BackSpace"], ""],
    ["erases a whole emoji", "👩‍👩‍👧", ["End", "BackSpace"], ""],
    ["ignores keys without text", "old", ["F5", "Shift_L", "Escape"], "old"],
    ["ignores Return", "old", ["Return"], "old"],
  ])("%s", (_, text, keys, expected) => {
    expect(press(text, ...keys)).toBe(expected);
  });

  it("inserts text with newlines as spaces", () => {
    const field = new LineField("old");
    field.insert("one\r\ntwo\nthree\n\nfour");
    expect(field.text).toBe("one two three four");
    field.insert("!");
    expect(field.text).toBe("one two three four!");
  });
});
