import { type Key, MODIFIER, parseCombination, resolveKey } from "./keys.ts";

export type BrowserAction =
  | "new-tab"
  | "close-tab"
  | "next-tab"
  | "previous-tab"
  | "reload"
  | "hard-reload"
  | "back"
  | "forward"
  | "home"
  | "stop"
  | "zoom-in"
  | "zoom-out"
  | "zoom-reset"
  | "focus-address-bar"
  | "find"
  | "find-next"
  | "find-previous";

export type EditCommand = "selectAll" | "copy" | "cut" | "paste" | "pasteAndMatchStyle" | "undo" | "redo";

type Effect =
  /** Berth performs these, because keys over DevTools reach only pages. */
  | { kind: "browser"; action: BrowserAction }
  | { kind: "tab"; index: number }
  /** The page handles these. Older browsers need the command with the key. */
  | { kind: "edit"; command: EditCommand }
  /** Needs a browser window, so it has no effect. */
  | { kind: "ignore" };

export type Shortcut = Effect & {
  /** Whether Chrome handles the keys before the page, which can prevent all other shortcuts. */
  reserved: boolean;
};

type Row = readonly [combinations: string, effect: Effect, reserved?: "reserved"];

const browser = (action: BrowserAction): Effect => ({ kind: "browser", action });
const edit = (command: EditCommand): Effect => ({ kind: "edit", command });
const IGNORE: Effect = { kind: "ignore" };

const SHORTCUTS: readonly Row[] = [
  ["Ctrl+T Ctrl+N", browser("new-tab"), "reserved"],
  ["Ctrl+W Ctrl+F4", browser("close-tab"), "reserved"],
  ["Ctrl+Tab Ctrl+Page_Down", browser("next-tab"), "reserved"],
  ["Ctrl+Shift+Tab Ctrl+Page_Up", browser("previous-tab"), "reserved"],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((number): Row => [tabCombinations(number), tab(number - 1)]),
  [tabCombinations(9), tab(-1)],

  ["Ctrl+R F5 XF86Reload", browser("reload")],
  ["Ctrl+Shift+R Ctrl+F5 Shift+F5", browser("hard-reload")],
  ["Alt+Left XF86Back", browser("back")],
  ["Alt+Right XF86Forward", browser("forward")],
  ["Alt+Home XF86HomePage", browser("home")],
  ["XF86Stop", browser("stop")],
  ["Ctrl+L Alt+D F6", browser("focus-address-bar")],

  ["Ctrl+equal Ctrl+plus Ctrl+KP_Add XF86ZoomIn", browser("zoom-in")],
  ["Ctrl+minus Ctrl+underscore Ctrl+KP_Subtract XF86ZoomOut", browser("zoom-out")],
  ["Ctrl+0 Ctrl+KP_0", browser("zoom-reset")],
  ["Ctrl+F Find", browser("find")],
  ["Ctrl+G F3", browser("find-next")],
  ["Ctrl+Shift+G Shift+F3", browser("find-previous")],

  ["Ctrl+A", edit("selectAll")],
  ["Ctrl+C Ctrl+Insert XF86Copy", edit("copy")],
  ["Ctrl+X Shift+Delete XF86Cut", edit("cut")],
  ["Ctrl+V Shift+Insert XF86Paste", edit("paste")],
  ["Ctrl+Shift+V", edit("pasteAndMatchStyle")],
  ["Ctrl+Z Undo", edit("undo")],
  ["Ctrl+Shift+Z Ctrl+Y Redo", edit("redo")],

  ["Ctrl+Shift+N Ctrl+Shift+T Ctrl+Shift+W Ctrl+Shift+Q Alt+F4", IGNORE, "reserved"],
  ["Ctrl+P Ctrl+S Ctrl+O Ctrl+U Ctrl+D Ctrl+H Ctrl+J", IGNORE],
  ["F11 F12 Ctrl+Shift+I Ctrl+Shift+J Ctrl+Shift+C", IGNORE],
  ["Ctrl+Shift+B Ctrl+Shift+D Ctrl+Shift+O Ctrl+Shift+Delete Shift+Escape", IGNORE],
];

let shortcuts: ReadonlyMap<string, Shortcut> | undefined;

export function findShortcut(key: Key, modifiers: number): Shortcut | undefined {
  shortcuts ??= new Map(SHORTCUTS.flatMap(entriesOf));
  return shortcuts.get(combinationOf(key, modifiers));
}

function tab(index: number): Effect {
  return { kind: "tab", index };
}

function tabCombinations(number: number): string {
  return `Ctrl+${number} Alt+${number} Ctrl+KP_${number} Alt+KP_${number}`;
}

function entriesOf([combinations, effect, reserved]: Row): [string, Shortcut][] {
  const shortcut = { ...effect, reserved: reserved !== undefined };
  return combinations.split(" ").map((combination) => {
    const keys = parseCombination(combination).map(resolveKey);
    const key = keys.at(-1);
    if (key === undefined) throw new Error(`${combination} ends in no key`);
    const modifiers = keys.slice(0, -1).reduce((bits, held) => bits | (held?.modifier ?? 0), 0);
    return [combinationOf(key, modifiers), shortcut];
  });
}

/** Chrome compares key codes, which keypad arrows share. A letter's case is ignored; "plus" implies Shift. */
function combinationOf(key: Key, modifiers: number): string {
  const isLetter = key.code.startsWith("Key");
  const held = key.needsShift && !isLetter ? modifiers | MODIFIER.Shift : modifiers;
  return `${held} ${key.keyCode === 0 ? key.key : key.keyCode}`;
}
