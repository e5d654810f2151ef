import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clickInDialog, dialogField, pressInDialog } from "../../../src/features/computer/dialog-box.ts";
import { labelButtons, layOutDialog } from "../../../src/features/computer/dialog-layout.ts";
import { resolveKey } from "../../../src/features/computer/keys.ts";
import { acquireBrowser } from "../../../src/platform/browser/connection/binding.ts";
import { RemoteBrowser } from "../../../src/platform/browser/remote-browser.ts";
import type { Tab } from "../../../src/platform/browser/tabs/tab.ts";
import { DEFAULT_VIEWPORT } from "../../../src/platform/browser/tabs/viewport.ts";
import type { Rectangle } from "../../../src/platform/page-scripts/drawing.ts";
import type { FakeDialog } from "../../fakes/browser.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { FakeSessionFiles, newDownloads } from "../../fakes/session-files.ts";

const browsers = useFakeBrowsers();
const SCRIPT_DIALOGS = ["alert", "confirm", "prompt", "beforeunload"] as const;
const DIALOG_KINDS = [...SCRIPT_DIALOGS, "file"] as const;

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
  it.each(DIALOG_KINDS.flatMap((kind) => [2560, 1024, 300].map((width) => [kind, width] as const)))(
    "keeps the parts of a %s inside its box without overlap on a page %i wide",
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

  it("gives text dialogs a field and alerts a single button", () => {
    const has = (part: "field" | "dismiss") =>
      DIALOG_KINDS.filter((kind) => layOutDialog(1024, kind)[part] !== undefined);
    expect(has("field")).toEqual(["prompt", "file"]);
    expect(has("dismiss")).toEqual(["confirm", "prompt", "beforeunload", "file"]);
  });

  it("labels buttons by dialog", () => {
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
      onForbidden: () => undefined,
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

  const answer = () =>
    tab.dialog === undefined
      ? browsers.commands.findLast(({ method }) => method === "Page.handleJavaScriptDialog")?.params
      : undefined;

  async function press(...names: string[]): Promise<void> {
    for (const name of names) {
      const key = resolveKey(name);
      if (key === undefined) throw new Error(`unknown key: ${name}`);
      await pressInDialog(tab, key, 0);
    }
  }

  it.each(
    SCRIPT_DIALOGS.flatMap((type) =>
      [["Return", true] as const, ["Escape", false] as const].map(
        (keyAndAnswer) => [type, ...keyAndAnswer] as const,
      ),
    ),
  )("%s is answered by %s with accept=%s", async (type, key, accept) => {
    await open({ type });
    await press(key);
    expect(answer()).toMatchObject({ accept });
  });

  it.each(SCRIPT_DIALOGS)("%s stays open on other keys", async (type) => {
    await open({ type });
    await press("a", "Tab", "space", "F5");
    expect(answer()).toBeUndefined();
  });

  it("replaces a prompt's default text when typing", async () => {
    await open({ type: "prompt", defaultPrompt: "old" });
    expect(tab.dialog && dialogField(tab.dialog).text).toBe("old");
    await press("n", "e", "w", "e", "BackSpace", "Return");
    expect(answer()).toEqual({ accept: true, promptText: "new" });
  });

  it("accepts a prompt's default text, and sends none when dismissed", async () => {
    await open({ type: "prompt", defaultPrompt: "old" });
    await press("Return");
    expect(answer()).toEqual({ accept: true, promptText: "old" });
    await open({ type: "prompt", defaultPrompt: "old" });
    await press("x", "Escape");
    expect(answer()).toEqual({ accept: false });
  });

  it("does not carry text over to the next prompt", async () => {
    await open({ type: "prompt", defaultPrompt: "" });
    await press("a", "Return");
    await open({ type: "prompt", defaultPrompt: "" });
    await press("Return");
    expect(answer()).toEqual({ accept: true, promptText: "" });
  });

  it.each(SCRIPT_DIALOGS)("%s is answered by clicks inside its buttons only", async (type) => {
    const { accept, dismiss } = layOutDialog(1920, type);
    for (const [button, accepted] of [
      [accept, true],
      [dismiss, false],
    ] as const) {
      if (button === undefined) continue;
      const { x, y, width, height } = button;
      await open({ type });
      for (const outside of [
        [x - 1, y],
        [x, y - 1],
        [x + width, y],
        [x, y + height],
      ] as const) {
        await clickInDialog(tab, 1920, ...outside);
        expect(answer(), outside.join()).toBeUndefined();
      }
      await clickInDialog(tab, 1920, x + width - 1, y + height - 1);
      expect(answer()).toMatchObject({ accept: accepted });
    }
  });

  describe("of a file chooser", () => {
    let answers: (string | undefined)[];
    beforeEach(() => {
      answers = [];
      const chooser = { message: "Path of a file", defaultText: "/home/kernel/" };
      tab.openFileChooser(chooser, async (path) => void answers.push(path));
    });

    it("returns the typed path", async () => {
      expect(tab.dialog).toMatchObject({ kind: "file", message: "Path of a file", url: "about:blank" });
      await press("x", "period", "y", "Return");
      expect(answers).toEqual(["x.y"]);
      expect(tab.dialog).toBeUndefined();
      await press("Return");
      expect(answers).toHaveLength(1);
    });

    it("returns no path when dismissed", async () => {
      await press("x", "Escape");
      expect(answers).toEqual([undefined]);
    });

    it.each([
      ["accept", "/home/kernel/"],
      ["dismiss", undefined],
    ] as const)("handles a click on the %s button", async (button, path) => {
      const { x = 0, y = 0 } = layOutDialog(1920, "file")[button] ?? {};
      await clickInDialog(tab, 1920, x, y);
      expect(answers).toEqual([path]);
    });

    it("closes when a client has chosen", () => {
      browser.fileChoosers.closeAll();
      expect(tab.dialog).toBeUndefined();
      expect(answers).toEqual([]);
    });

    it("is replaced by a script's dialog and never replaces one", async () => {
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

  it("ignores keys and clicks once answered", async () => {
    const answers = () => browsers.commands.filter(({ method }) => method === "Page.handleJavaScriptDialog");
    const before = answers().length;
    await press("Return", "Escape", "a");
    await clickInDialog(tab, 1920, 960, 190);
    expect(answers()).toHaveLength(before);
  });
});
