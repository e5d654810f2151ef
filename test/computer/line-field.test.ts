import { describe, expect, it } from "vitest";
import { MODIFIER, resolveKey, textWithModifiers } from "../../src/computer/keys.ts";
import { LineField } from "../../src/computer/text-field.ts";

/** Presses keys, given by name, in a field that begins with a text. */
function press(text: string, ...names: string[]): string {
  const field = new LineField(text);
  for (const name of names) {
    const [last = "", held] = name.split("+").reverse();
    const key = resolveKey(last);
    if (key === undefined) throw new Error(`${last} is no key`);
    const modifiers = held === "Ctrl" ? MODIFIER.Control : held === "Shift" ? MODIFIER.Shift : 0;
    field.press(key, modifiers, textWithModifiers(key, modifiers));
  }
  return field.text;
}

describe("a line of text that is typed", () => {
  it.each<[string, string, string[], string]>([
    ["stays as it was without a key", "old", [], "old"],
    ["replaces what it began with", "old", ["n", "e", "w"], "new"],
    ["is appended once the selection is gone by End", "old", ["End", "e", "r"], "older"],
    ["is appended once the selection is gone by an arrow", "old", ["Right", "1"], "old1"],
    ["is appended once the selection is gone by Home", "old", ["Home", "1"], "old1"],
    ["takes capitals", "", ["Shift+a"], "A"],
    ["takes spaces", "", ["a", "space", "b"], "a b"],
    ["is erased as a whole while it is selected", "old", ["BackSpace"], ""],
    ["is erased as a whole by Delete while it is selected", "old", ["Delete"], ""],
    ["is erased from its end", "old", ["End", "BackSpace"], "ol"],
    ["is not erased where it has ended", "old", ["End", "Delete"], "old"],
    ["is typed after erasing", "old", ["BackSpace", "x"], "x"],
    ["is erased to nothing and no further", "a", ["End", "BackSpace", "BackSpace"], ""],
    ["is replaced after Ctrl+A", "", ["a", "b", "Ctrl+a", "c"], "c"],
    ["is erased after Ctrl+A", "", ["a", "b", "Ctrl+a", "BackSpace"], ""],
    ["loses a whole emoji at once", "👩‍👩‍👧", ["End", "BackSpace"], ""],
    ["is left alone by keys that type nothing", "old", ["F5", "Shift_L", "Escape"], "old"],
    ["is left alone by Return", "old", ["Return"], "old"],
  ])("%s", (_, text, keys, expected) => {
    expect(press(text, ...keys)).toBe(expected);
  });

  it("takes text at once, its new lines as spaces", () => {
    const field = new LineField("old");
    field.insert("one\r\ntwo\nthree\n\nfour");
    expect(field.text).toBe("one two three four");
    field.insert("!");
    expect(field.text).toBe("one two three four!");
  });
});
