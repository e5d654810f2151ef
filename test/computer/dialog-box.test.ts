import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireBrowser } from "../../src/browser/connection/binding.ts";
import { RemoteBrowser } from "../../src/browser/remote-browser.ts";
import type { Tab } from "../../src/browser/tabs/tab.ts";
import { DEFAULT_VIEWPORT } from "../../src/browser/tabs/viewport.ts";
import { clickInDialog, dialogField, pressInDialog } from "../../src/computer/dialog-box.ts";
import { labelButtons, layOutDialog } from "../../src/computer/dialog-layout.ts";
import { resolveKey } from "../../src/computer/keys.ts";
import type { Rectangle } from "../../src/page-scripts/drawing.ts";
import type { FakeDialog } from "../fakes/browser.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { FakeSessionFiles, newDownloads } from "../fakes/session-files.ts";

const browsers = useFakeBrowsers();
/** Of scripts. */
const KINDS = ["alert", "confirm", "prompt", "beforeunload"] as const;
const ALL_KINDS = [...KINDS, "file"] as const;

const isInside = (inner: Rectangle, outer: Rectangle) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const overlap = (one: Rectangle, other: Rectangle) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe("layOutDialog", () => {
  it.each(ALL_KINDS.flatMap((kind) => [2560, 1024, 300].map((width) => [kind, width] as const)))(
    "puts the parts of a %s on a page %i wide into the box, beside each other",
    (kind, width) => {
      const { box, ...parts } = layOutDialog(width, kind);
      expect(isInside(box, { x: 0, y: 0, width, height: 768 })).toBe(true);
      expect(Math.abs(2 * box.x + box.width - width)).toBeLessThanOrEqual(1);
      const rectangles = Object.values(parts);
      for (const [index, part] of rectangles.entries()) {
        expect(isInside(part, box)).toBe(true);
        for (const other of rectangles.slice(index + 1)) expect(overlap(part, other)).toBe(false);
      }
    },
  );

  it("gives a field to where something is typed, and one button to an alert", () => {
    const has = (part: "field" | "dismiss") =>
      ALL_KINDS.filter((kind) => layOutDialog(1024, kind)[part] !== undefined);
    expect(has("field")).toEqual(["prompt", "file"]);
    expect(has("dismiss")).toEqual(["confirm", "prompt", "beforeunload", "file"]);
  });

  it("says of a page that is to be left, and of a file, what its buttons do", () => {
    expect(labelButtons("file")).toEqual({ accept: "Open", dismiss: "Cancel" });
    expect(labelButtons("beforeunload")).toEqual({ accept: "Leave", dismiss: "Cancel" });
    expect(labelButtons("confirm")).toEqual({ accept: "OK", dismiss: "Cancel" });
  });
});

describe("an open dialog", () => {
  let browser: RemoteBrowser;
  let browserId: string;
  let tab: Tab;

  beforeEach(async () => {
    browserId = await acquireBrowser(env.BROWSER, 60_000);
    const options = {
      viewport: DEFAULT_VIEWPORT,
      stealth: false,
      mainContext: () => undefined,
      proxy: async () => undefined,
      onVisit: () => undefined,
      files: new FakeSessionFiles(),
      downloads: newDownloads(),
      onDisconnected: () => undefined,
    };
    browser = await RemoteBrowser.connect(env.BROWSER, browserId, options);
    tab = await browser.tabs.open("about:blank");
  });
  afterEach(() => browser.disconnect());

  async function open(dialog: Partial<FakeDialog> & Pick<FakeDialog, "type">): Promise<void> {
    browsers.browser(browserId).openDialog({ message: "?", ...dialog });
    await expect.poll(() => tab.dialog?.kind).toBe(dialog.type);
  }

  /** How the dialog was answered; undefined when it is still open. */
  const answer = () =>
    tab.dialog === undefined
      ? browsers.commands.findLast(({ method }) => method === "Page.handleJavaScriptDialog")?.params
      : undefined;

  async function press(...names: string[]): Promise<void> {
    for (const name of names) {
      const key = resolveKey(name);
      if (key === undefined) throw new Error(`${name} is no key`);
      await pressInDialog(tab, key, 0);
    }
  }

  it.each(
    KINDS.flatMap((type) =>
      [["Return", true] as const, ["Escape", false] as const].map((by) => [type, ...by] as const),
    ),
  )("%s is answered by %s: %s", async (type, key, accept) => {
    await open({ type });
    await press(key);
    expect(answer()).toMatchObject({ accept });
  });

  it.each(KINDS)("%s is not answered by other keys", async (type) => {
    await open({ type });
    await press("a", "Tab", "space", "F5");
    expect(answer()).toBeUndefined();
  });

  it("prompts for a text that is typed over the one that it began with", async () => {
    await open({ type: "prompt", defaultPrompt: "old" });
    expect(tab.dialog && dialogField(tab.dialog).text).toBe("old");
    await press("n", "e", "w", "e", "BackSpace", "Return");
    expect(answer()).toEqual({ accept: true, promptText: "new" });
  });

  it("accepts a prompt's own text when none is typed, and sends none when it is dismissed", async () => {
    await open({ type: "prompt", defaultPrompt: "old" });
    await press("Return");
    expect(answer()).toEqual({ accept: true, promptText: "old" });
    await open({ type: "prompt", defaultPrompt: "old" });
    await press("x", "Escape");
    expect(answer()).toEqual({ accept: false });
  });

  it("begins each prompt anew", async () => {
    await open({ type: "prompt", defaultPrompt: "" });
    await press("a", "Return");
    await open({ type: "prompt", defaultPrompt: "" });
    await press("Return");
    expect(answer()).toEqual({ accept: true, promptText: "" });
  });

  it.each(KINDS)("%s is answered by clicks on its buttons, to their last pixel", async (type) => {
    const { accept, dismiss } = layOutDialog(1920, type);
    for (const [button, accepted] of [
      [accept, true],
      [dismiss, false],
    ] as const) {
      if (button === undefined) continue;
      const { x, y, width, height } = button;
      await open({ type });
      for (const beside of [
        [x - 1, y],
        [x, y - 1],
        [x + width, y],
        [x, y + height],
      ] as const) {
        await clickInDialog(tab, 1920, ...beside);
        expect(answer(), beside.join()).toBeUndefined();
      }
      await clickInDialog(tab, 1920, x + width - 1, y + height - 1);
      expect(answer()).toMatchObject({ accept: accepted });
    }
  });

  describe("that is a file chooser", () => {
    let answers: (string | undefined)[];
    beforeEach(() => {
      answers = [];
      const chooser = { message: "Path of a file", defaultText: "/home/kernel/" };
      tab.openFileChooser(chooser, async (path) => void answers.push(path));
    });

    it("answers with the path that is typed", async () => {
      expect(tab.dialog).toMatchObject({ kind: "file", message: "Path of a file", url: "about:blank" });
      await press("x", "period", "y", "Return");
      expect(answers).toEqual(["x.y"]);
      expect(tab.dialog).toBeUndefined();
      await press("Return");
      expect(answers).toHaveLength(1);
    });

    it("answers with none when it is dismissed", async () => {
      await press("x", "Escape");
      expect(answers).toEqual([undefined]);
    });

    it.each([
      ["accept", "/home/kernel/"],
      ["dismiss", undefined],
    ] as const)("answers a click on its button to %s", async (button, path) => {
      const { x = 0, y = 0 } = layOutDialog(1920, "file")[button] ?? {};
      await clickInDialog(tab, 1920, x, y);
      expect(answers).toEqual([path]);
    });

    it("goes when a client has chosen", () => {
      browser.fileChoosers.closeAll();
      expect(tab.dialog).toBeUndefined();
      expect(answers).toEqual([]);
    });

    it("gives way to a dialog of a script's, and does not take its place", async () => {
      browsers.browser(browserId).openDialog({ type: "confirm", message: "?" });
      await expect.poll(() => tab.dialog?.kind).toBe("confirm");
      tab.openFileChooser({ message: "", defaultText: "" }, async () => undefined);
      expect(tab.dialog?.kind).toBe("confirm");
      browser.fileChoosers.closeAll();
      expect(tab.dialog?.kind).toBe("confirm");
      await press("Escape");
      expect(answer()).toMatchObject({ accept: false });
    });
  });

  it("that was answered already takes no key and no click", async () => {
    const answers = () => browsers.commands.filter(({ method }) => method === "Page.handleJavaScriptDialog");
    const before = answers().length;
    await press("Return", "Escape", "a");
    await clickInDialog(tab, 1920, 960, 190);
    expect(answers()).toHaveLength(before);
  });
});
