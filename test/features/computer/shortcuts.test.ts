import { describe, expect, it } from "vitest";
import { MODIFIER, parseCombination, resolveKey } from "../../../src/features/computer/keys.ts";
import { findShortcut, type Shortcut } from "../../../src/features/computer/shortcuts.ts";

/** The shortcut of a combination such as "Ctrl+t"; every name but the last is held. */
function shortcutOf(combination: string): Shortcut | undefined {
  const keys = parseCombination(combination).map((name) => {
    const key = resolveKey(name);
    if (key === undefined) throw new Error(`unknown key: ${name}`);
    return key;
  });
  const last = keys.at(-1);
  if (last === undefined) throw new Error(`${combination} has no key`);
  return findShortcut(
    last,
    keys.slice(0, -1).reduce((bits, { modifier }) => bits | modifier, 0),
  );
}

describe("findShortcut", () => {
  it.each([
    ["new-tab", "Ctrl+t Ctrl+T Control_R+t ctrl+n Ctrl+N", true],
    ["close-tab", "Ctrl+w Ctrl+W Ctrl+F4", true],
    ["next-tab", "Ctrl+Tab Ctrl+Page_Down Ctrl+Next Ctrl+KP_Page_Down", true],
    ["previous-tab", "Ctrl+Shift+Tab ctrl+shift+tab Ctrl+ISO_Left_Tab Ctrl+Page_Up Ctrl+Prior", true],
    ["reload", "Ctrl+r Ctrl+R F5 XF86Reload XF86Refresh", false],
    ["hard-reload", "Ctrl+Shift+r Ctrl+Shift+R Ctrl+F5 Shift+F5", false],
    ["back", "Alt+Left Alt_R+Left alt+ArrowLeft Alt+KP_Left XF86Back", false],
    ["forward", "Alt+Right XF86Forward", false],
    ["home", "Alt+Home XF86HomePage", false],
    ["stop", "XF86Stop", false],
    ["focus-address-bar", "Ctrl+l Ctrl+L Alt+d F6", false],
    ["zoom-in", "Ctrl+plus Ctrl++ Ctrl+equal Ctrl+Shift+equal Ctrl+Shift+plus Ctrl+KP_Add XF86ZoomIn", false],
    ["zoom-out", "Ctrl+minus Ctrl+- Ctrl+Shift+minus Ctrl+KP_Subtract XF86ZoomOut", false],
    ["zoom-reset", "Ctrl+0 Ctrl+KP_0", false],
    ["find", "Ctrl+f Ctrl+F Find", false],
    ["find-next", "Ctrl+g F3", false],
    ["find-previous", "Ctrl+Shift+g Shift+F3", false],
  ])("maps to %s: %s", (action, combinations, reserved) => {
    for (const combination of combinations.split(" ")) {
      expect(shortcutOf(combination), combination).toEqual({ kind: "browser", action, reserved });
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("switches tabs on %d", (number) => {
    const index = number === 9 ? -1 : number - 1;
    for (const combination of ["Ctrl+", "Alt+", "Ctrl+KP_", "Alt+KP_"]) {
      expect(shortcutOf(`${combination}${number}`)).toEqual({ kind: "tab", index, reserved: false });
    }
  });

  it.each([
    ["selectAll", "Ctrl+a Ctrl+A"],
    ["copy", "Ctrl+c Ctrl+C Ctrl+Insert XF86Copy"],
    ["cut", "Ctrl+x Shift+Delete XF86Cut"],
    ["paste", "Ctrl+v Shift+Insert XF86Paste"],
    ["pasteAndMatchStyle", "Ctrl+Shift+v Ctrl+Shift+V"],
    ["undo", "Ctrl+z Undo"],
    ["redo", "Ctrl+Shift+z Ctrl+y Redo"],
  ])("maps to the editing command %s: %s", (command, combinations) => {
    for (const combination of combinations.split(" ")) {
      expect(shortcutOf(combination), combination).toEqual({ kind: "edit", command, reserved: false });
    }
  });

  it.each([
    ["Ctrl+Shift+n Ctrl+Shift+t Ctrl+Shift+w Ctrl+Shift+q Alt+F4", true],
    ["Ctrl+p Ctrl+s Ctrl+o Ctrl+u Ctrl+d Ctrl+h Ctrl+j F11 F12", false],
    ["Ctrl+Shift+i Ctrl+Shift+j Ctrl+Shift+c Ctrl+Shift+b Ctrl+Shift+d Ctrl+Shift+o", false],
    ["Ctrl+Shift+Delete Shift+Escape", false],
  ])("ignores %s", (combinations, reserved) => {
    for (const combination of combinations.split(" ")) {
      expect(shortcutOf(combination), combination).toEqual({ kind: "ignore", reserved });
    }
  });

  it.each([
    ["t T 1 Tab Left Home Delete Insert plus equal KP_0 Escape Return Page_Down F1 Shift_L"],
    ["Ctrl+Alt+t Ctrl+Alt+Shift+t Super+t Alt+t Shift+t Ctrl+Meta+r"],
    ["Ctrl+Alt+Left Ctrl+Left Shift+Left Alt+Shift+Left Ctrl+XF86Back Alt+F5 Ctrl+Shift+F5 Shift+F6"],
    ["Ctrl+Shift+1 Ctrl+exclam Alt+0 Ctrl+parenright Shift+1 Ctrl+KP_Home"],
    ["Ctrl+Alt+c Ctrl+Shift+a Ctrl+Delete Alt+Delete Super+c"],
    ["Ctrl+Home Ctrl+Return Ctrl+k Ctrl+Shift_L Ctrl+eacute Ctrl+Cyrillic_te Shift+Undo"],
  ])("passes to the page: %s", (combinations) => {
    for (const combination of combinations.split(" ")) {
      expect(shortcutOf(combination), combination).toBeUndefined();
    }
  });

  it("compares held modifiers, not the case of the key", () => {
    const capital = resolveKey("T");
    if (capital === undefined) throw new Error("unknown key: T");
    expect(findShortcut(capital, MODIFIER.Control)).toMatchObject({ action: "new-tab" });
    expect(findShortcut(capital, MODIFIER.Control | MODIFIER.Shift)).toMatchObject({ kind: "ignore" });
    expect(findShortcut(capital, 0)).toBeUndefined();
  });
});
