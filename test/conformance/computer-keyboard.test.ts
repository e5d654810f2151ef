import { BadRequestError } from "@onkernel/sdk";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Pages, recordingPage } from "./computer-pages.ts";
import { type ComputerSession, openComputer, type PageView } from "./computer-session.ts";

const PAGES = {
  "/keys": recordingPage("", { preventsDefault: true }),
  "/text": recordingPage('<textarea id="text" autofocus></textarea>'),
};

let site: Pages;
let session: ComputerSession;
let page: PageView;

beforeAll(async () => {
  const computer = await openComputer(PAGES);
  ({ site, session, page } = computer);
  return () => computer[Symbol.asyncDispose]();
});

async function open(path: keyof typeof PAGES): Promise<void> {
  // Takes the focus away from the address and find bars.
  await session.click(1000, 700);
  await page.open(site.origin + path);
}

/** Presses keys and returns the events that the page received. */
async function tap(...keys: string[]): Promise<string[]> {
  await session.press(...keys);
  const events: string[] = [];
  // The last keyup may reach the page after the response.
  await expect
    .poll(async () => {
      events.push(...(await page.takeEvents()));
      const ups = events.filter((event) => event.startsWith("keyup"));
      return ups.length > 0 && ups.length * 2 === events.filter((event) => event.startsWith("key")).length;
    })
    .toBe(true);
  return events;
}

const US_KEYS: readonly (readonly [group: string, rows: readonly string[]])[] = [
  ["letters", ["a > a KeyA 65 0", "q > q KeyQ 81 0", "z > z KeyZ 90 0"]],
  [
    "digits and punctuation",
    [
      "0 > 0 Digit0 48 0",
      "1 > 1 Digit1 49 0",
      "9 > 9 Digit9 57 0",
      "minus > - Minus 189 0",
      "equal > = Equal 187 0",
      "bracketleft > [ BracketLeft 219 0",
      "bracketright > ] BracketRight 221 0",
      "backslash > \\ Backslash 220 0",
      "semicolon > ; Semicolon 186 0",
      "apostrophe > ' Quote 222 0",
      "grave > ` Backquote 192 0",
      "comma > , Comma 188 0",
      "period > . Period 190 0",
      "slash > / Slash 191 0",
      "/ > / Slash 191 0",
      "0x2f > / Slash 191 0",
    ],
  ],
  [
    "editing and white space",
    [
      "Return > Enter Enter 13 0",
      "enter > Enter Enter 13 0",
      "Tab > Tab Tab 9 0",
      "BackSpace > Backspace Backspace 8 0",
      "Escape > Escape Escape 27 0",
      "Delete > Delete Delete 46 0",
      "Insert > Insert Insert 45 0",
      "space >   Space 32 0",
    ],
  ],
  [
    "movement",
    [
      "Left > ArrowLeft ArrowLeft 37 0",
      "Up > ArrowUp ArrowUp 38 0",
      "Right > ArrowRight ArrowRight 39 0",
      "Down > ArrowDown ArrowDown 40 0",
      "Home > Home Home 36 0",
      "End > End End 35 0",
      "Page_Up > PageUp PageUp 33 0",
      "Next > PageDown PageDown 34 0",
    ],
  ],
  [
    "function keys",
    Array.from({ length: 24 }, (_, index) => `F${index + 1} > F${index + 1} F${index + 1} ${112 + index} 0`),
  ],
  [
    "keypad",
    [
      ...Array.from({ length: 10 }, (_, digit) => `KP_${digit} > ${digit} Numpad${digit} ${96 + digit} 3`),
      "KP_Add > + NumpadAdd 107 3",
      "KP_Subtract > - NumpadSubtract 109 3",
      "KP_Multiply > * NumpadMultiply 106 3",
      "KP_Divide > / NumpadDivide 111 3",
      "KP_Decimal > . NumpadDecimal 110 3",
      "KP_Enter > Enter NumpadEnter 13 3",
      "KP_Home > Home Numpad7 36 3",
      "KP_Left > ArrowLeft Numpad4 37 3",
      "KP_Page_Down > PageDown Numpad3 34 3",
      "KP_Insert > Insert Numpad0 45 3",
      "KP_Delete > Delete NumpadDecimal 46 3",
    ],
  ],
  [
    "locks and system",
    [
      "Caps_Lock > CapsLock CapsLock 20 0",
      "Num_Lock > NumLock NumLock 144 0",
      "Scroll_Lock > ScrollLock ScrollLock 145 0",
      "Pause > Pause Pause 19 0",
      "Print > PrintScreen PrintScreen 44 0",
      "Menu > ContextMenu ContextMenu 93 0",
    ],
  ],
  [
    "media",
    [
      "XF86AudioMute > AudioVolumeMute AudioVolumeMute 173 0",
      "XF86AudioLowerVolume > AudioVolumeDown AudioVolumeDown 174 0",
      "XF86AudioRaiseVolume > AudioVolumeUp AudioVolumeUp 175 0",
      "XF86AudioNext > MediaTrackNext MediaTrackNext 176 0",
      "XF86AudioPrev > MediaTrackPrevious MediaTrackPrevious 177 0",
      "XF86AudioStop > MediaStop MediaStop 178 0",
      "XF86AudioPlay > MediaPlayPause MediaPlayPause 179 0",
      "XF86Back > BrowserBack BrowserBack 166 0",
      "XF86Search > BrowserSearch BrowserSearch 170 0",
      "XF86Mail > LaunchMail LaunchMail 180 0",
    ],
  ],
  [
    "characters missing on a US keyboard, without a code",
    [
      "eacute > é - 0 0",
      "é > é - 0 0",
      "Eacute > É - 0 0",
      "Cyrillic_a > а - 0 0",
      "U20AC > € - 0 0",
      "0x20ac > € - 0 0",
      "EuroSign > € - 0 0",
      "日 > 日 - 0 0",
      "U1F600 > 😀 - 0 0",
    ],
  ],
];

describe("pressing keys", () => {
  beforeEach(() => open("/keys"));

  test.each(US_KEYS)("%s", async (_, rows) => {
    const split = rows.map((row) => row.split(" > "));
    await session.press(...split.map(([name = ""]) => name));
    const expected = split.flatMap(([, key]) => [`keydown ${key}`, `keyup ${key}`]);
    expect(await page.takeEvents()).toEqual(expected);
  });

  test.each([
    ["Shift_L", "Shift ShiftLeft 16 1", "Shift"],
    ["shift", "Shift ShiftLeft 16 1", "Shift"],
    ["Shift_R", "Shift ShiftRight 16 2", "Shift"],
    ["Control_L", "Control ControlLeft 17 1", "Control"],
    ["ctrl", "Control ControlLeft 17 1", "Control"],
    ["Control_R", "Control ControlRight 17 2", "Control"],
    ["Alt_L", "Alt AltLeft 18 1", "Alt"],
    ["Alt_R", "Alt AltRight 18 2", "Alt"],
    ["Super_L", "Meta MetaLeft 91 1", "Meta"],
    ["super", "Meta MetaLeft 91 1", "Meta"],
    ["Super_R", "Meta MetaRight 92 2", "Meta"],
    ["Meta_L", "Meta MetaLeft 91 1", "Meta"],
  ])("%s as a modifier", async (name, key, flag) => {
    expect(await tap(name)).toEqual([`keydown ${key} ${flag}`, `keyup ${key}`]);
  });

  test.each([
    ["A", "A KeyA 65 0"],
    ["exclam", "! Digit1 49 0"],
    ["!", "! Digit1 49 0"],
    ["plus", "+ Equal 187 0"],
    ["+", "+ Equal 187 0"],
    ["underscore", "_ Minus 189 0"],
    ["quotedbl", '" Quote 222 0'],
    ["asciitilde", "~ Backquote 192 0"],
    ["question", "? Slash 191 0"],
  ])("%s implies Shift", async (name, key) => {
    expect((await tap(name))[0]).toBe(`keydown ${key} Shift`);
    // Shift has been released.
    expect(await tap("b")).toEqual(["keydown b KeyB 66 0", "keyup b KeyB 66 0"]);
  });

  test.each([
    ["Shift+a", ["Shift ShiftLeft 16 1 Shift"], "A KeyA 65 0 Shift"],
    ["shift+1", ["Shift ShiftLeft 16 1 Shift"], "! Digit1 49 0 Shift"],
    ["Shift+Tab", ["Shift ShiftLeft 16 1 Shift"], "Tab Tab 9 0 Shift"],
    ["Ctrl+k", ["Control ControlLeft 17 1 Control"], "k KeyK 75 0 Control"],
    ["Ctrl++", ["Control ControlLeft 17 1 Control"], "+ Equal 187 0 Control Shift"],
    ["Alt+F8", ["Alt AltLeft 18 1 Alt"], "F8 F8 119 0 Alt"],
    ["Super+e", ["Meta MetaLeft 91 1 Meta"], "e KeyE 69 0 Meta"],
    [
      "Control_R+Alt+Delete",
      ["Control ControlRight 17 2 Control", "Alt AltLeft 18 1 Alt Control"],
      "Delete Delete 46 0 Alt Control",
    ],
    [
      "ctrl+shift+Left",
      ["Control ControlLeft 17 1 Control", "Shift ShiftLeft 16 1 Control Shift"],
      "ArrowLeft ArrowLeft 37 0 Control Shift",
    ],
  ])("%s goes down in order and up in reverse", async (combination, modifiers, key) => {
    const events = await tap(combination);
    const downs = [...modifiers, key];
    expect(events.slice(0, downs.length)).toEqual(downs.map((down) => `keydown ${down}`));
    const code = (event: string | undefined) => event?.split(" ").slice(1, 3).join(" ");
    const ups = events.slice(downs.length);
    expect(ups.map(code)).toEqual(downs.map((down) => code(`keydown ${down}`)).reverse());
    expect(ups.at(-1)).toMatch(/^keyup \S+ \S+ \d+ \d$/);
  });
});

describe("invalid keys", () => {
  beforeEach(() => open("/keys"));

  test.each([
    ["Foobar", ["Foobar"]],
    ["Foobar", ["a", "b", "Ctrl+Foobar"]],
    ["Shfit", ["Shfit+a"]],
    ["ab", ["ab"]],
    ["U110000", ["U110000"]],
    ["UD800", ["UD800"]],
    ["Ctrl+", ["Ctrl+"]],
  ])("%j is reported in a 400, and nothing is pressed", async (name, keys) => {
    const pressed = session.press(...keys);
    await expect(pressed).rejects.toThrow(BadRequestError);
    await expect(pressed).rejects.toThrow(`"${name}"`);
    expect(await page.takeEvents()).toEqual([]);
  });

  test("hold_keys rejects unknown names and keys that are not modifiers", async () => {
    await expect(session.pressKey({ keys: ["a"], hold_keys: ["Shift", "Sihft"] })).rejects.toThrow('"Sihft"');
    await expect(session.pressKey({ keys: ["a"], hold_keys: ["b"] })).rejects.toThrow(
      '"b" is not a modifier',
    );
    await expect(session.pressKey({ keys: [] })).rejects.toThrow(BadRequestError);
    await expect(session.pressKey({ keys: ["a"], duration: -1 })).rejects.toThrow(BadRequestError);
    expect(await page.takeEvents()).toEqual([]);
  });
});

describe("holding keys", () => {
  beforeEach(() => open("/keys"));

  test("with duration holds all keys together, then releases them", async () => {
    await session.pressKey({ keys: ["Ctrl+Shift", "k"], duration: 300 });
    const times = z.array(z.number()).parse(await page.evaluate("[...times]"));
    const events = (await page.takeEvents()).map((event) => event.split(" ").slice(0, 2).join(" "));
    expect(events.slice(0, 3)).toEqual(["keydown Control", "keydown Shift", "keydown K"]);
    expect(events.slice(3).sort()).toEqual(["keyup Control", "keyup K", "keyup Shift"]);
    const [lastDown = 0, firstUp = 0] = times.slice(2, 4);
    // Below 300 because the page and the service have different clocks.
    expect(firstUp - lastDown).toBeGreaterThan(250);
    expect(await tap("a")).toEqual(["keydown a KeyA 65 0", "keyup a KeyA 65 0"]);
  });

  test("without duration taps each key in turn", async () => {
    expect(await tap("a", "Down")).toEqual([
      "keydown a KeyA 65 0",
      "keyup a KeyA 65 0",
      "keydown ArrowDown ArrowDown 40 0",
      "keyup ArrowDown ArrowDown 40 0",
    ]);
  });

  test("with hold_keys applies the modifiers to all keys", async () => {
    await session.pressKey({ keys: ["Left", "k"], hold_keys: ["ctrl", "shift"] });
    expect((await page.takeEvents("keydown")).slice(2)).toEqual([
      "keydown ArrowLeft ArrowLeft 37 0 Control Shift",
      "keydown K KeyK 75 0 Control Shift",
    ]);
    expect(await tap("a")).toEqual(["keydown a KeyA 65 0", "keyup a KeyA 65 0"]);
  });
});

const TEXTS = {
  Latin: "Příliš žluťoučký kůň; Füße, œuvre, İstanbul, Łódź",
  Greek: "Καλημέρα κόσμε, ἄνθρωπος",
  Cyrillic: "Съешь ещё этих мягких булок, Київ",
  Arabic: "مرحبا بالعالم، ١٢٣",
  Hebrew: "שָׁלוֹם עולם",
  Hindi: "नमस्ते दुनिया, क्षत्रिय",
  Thai: "สวัสดีชาวโลก ที่นี่",
  Chinese: "你好，世界。𠮷野家",
  Japanese: "こんにちは、カタカナ、がぎぐ",
  Hangul: "안녕하세요 세계",
  emoji: "😀 👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇩🇪🇯🇵 1️⃣ ❤️",
  "combining accents": "e\u0301 a\u0308 Z\u0351\u036b\u0343\u036a",
  ASCII: " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
};

describe("typing", () => {
  test.each(Object.entries(TEXTS))("%s", async (_, text) => {
    await open("/text");
    await session.type(text);
    expect(await page.evaluate("text.value")).toBe(text);
  });

  test("sends key events for each character", async () => {
    await open("/text");
    await session.type("aÉ!");
    expect(await page.takeEvents("keydown")).toEqual([
      "keydown a KeyA 65 0",
      "keydown É - 0 0",
      "keydown ! Digit1 49 0 Shift",
    ]);
  });

  test("presses Return once for any kind of line break", async () => {
    await open("/text");
    await session.type("one\ntwo\r\nthree\rfour\n\nsix");
    expect(await page.evaluate("text.value")).toBe("one\ntwo\nthree\nfour\n\nsix");
    expect((await page.takeEvents("keydown")).filter((event) => event.includes("Enter"))).toEqual(
      Array.from({ length: 5 }, () => "keydown Enter Enter 13 0"),
    );
  });

  test("keeps two thousand characters in order", async () => {
    await open("/text");
    const text = Array.from({ length: 200 }, (_, index) => `${String(index).padStart(3, "0")} wörds\n`).join(
      "",
    );
    expect(text).toHaveLength(2000);
    await session.type(text);
    expect(await page.evaluate("text.value")).toBe(text);
  });

  test("waits for delay between characters", async () => {
    await open("/text");
    await session.type("abcd", 60);
    const times = z.array(z.number()).parse(await page.evaluate("[...times]"));
    const events = await page.takeEvents();
    const downs = times.filter((_, index) => events[index]?.startsWith("keydown"));
    expect(downs).toHaveLength(4);
    for (const [index, time] of downs.slice(1).entries())
      expect(time - (downs[index] ?? 0)).toBeGreaterThan(40);
    expect(await page.evaluate("text.value")).toBe("abcd");
  });

  test("works through press_key for keys missing on a US keyboard", async () => {
    await open("/text");
    await session.press(
      "eacute",
      "Cyrillic_a",
      "U20AC",
      "0x20ac",
      "é",
      "Shift+eacute",
      "A",
      "Shift+1",
      "KP_5",
    );
    expect(await page.evaluate("text.value")).toBe("éа€€éÉA!5");
  });

  test("accepts an empty text and rejects a negative delay", async () => {
    await open("/text");
    await session.type("");
    await expect(session.type("a", -1)).rejects.toThrow(BadRequestError);
    expect(await page.takeEvents()).toEqual([]);
  });
});
