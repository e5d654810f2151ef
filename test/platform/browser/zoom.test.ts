import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireBrowser } from "../../../src/platform/browser/connection/binding.ts";
import { RemoteBrowser } from "../../../src/platform/browser/remote-browser.ts";
import { DEFAULT_VIEWPORT } from "../../../src/platform/browser/tabs/viewport.ts";
import { nextZoomLevel, zoomTab } from "../../../src/platform/browser/tabs/zoom.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { FakeSessionFiles, newDownloads } from "../../fakes/session-files.ts";

const browsers = useFakeBrowsers();

const LEVELS = [0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5];

describe("nextZoomLevel", () => {
  it("steps through Chrome's levels in both directions", () => {
    for (const [index, level] of LEVELS.entries()) {
      expect(nextZoomLevel(level, "in")).toBe(LEVELS[index + 1] ?? 5);
      expect(nextZoomLevel(level, "out")).toBe(LEVELS[index - 1] ?? 0.25);
    }
  });

  it.each([
    [1.05, "in", 1.1],
    [1.05, "out", 1],
    [9, "out", 5],
    [0.1, "in", 0.25],
  ] as const)("steps from %d %s to %d", (level, direction, next) => {
    expect(nextZoomLevel(level, direction)).toBe(next);
  });
});

describe("zoomTab", () => {
  let browser: RemoteBrowser;
  beforeEach(async () => {
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
    browser = await RemoteBrowser.connect(env.BROWSER, await acquireBrowser(env.BROWSER, 60_000), options);
  });
  afterEach(() => browser.disconnect());

  /** Script commands, reduced to their zoom factors and removals. */
  const scripts = () =>
    browsers.commands
      .filter(({ method }) => /ScriptToEvaluateOnNewDocument$/.test(method))
      .flatMap(({ method, params }) =>
        method.startsWith("Page.add")
          ? (/\(([\d.]+)\)$/.exec(String(params.source))?.[1] ?? [])
          : `removed ${params.identifier}`,
      );

  it("applies each level to the current and later pages, and removes the one before", async () => {
    const tab = await browser.tabs.open("about:blank");
    const before = scripts().length;
    for (const change of ["in", "in", "out", "reset"] as const) await zoomTab(tab, change);
    const sent = scripts().slice(before);
    expect(sent.filter((script) => !script?.startsWith("removed"))).toEqual(["1.1", "1.25", "1.1", "1"]);
    const removed = sent.filter((script) => script?.startsWith("removed"));
    expect(new Set(removed).size).toBe(3);
    const added = browsers.commands.filter(({ method }) => method.startsWith("Page.addScript")).at(-1);
    expect(added?.params).toMatchObject({ runImmediately: true, worldName: "berth" });
  });

  it("keeps a level for each tab", async () => {
    const [one, other] = [await browser.tabs.open("about:blank"), await browser.tabs.open("about:blank")];
    await zoomTab(one, "in");
    const before = scripts().length;
    await zoomTab(other, "in");
    await zoomTab(one, "in");
    expect(scripts().slice(before)).toEqual(["1.1", "1.25", expect.stringContaining("removed")]);
  });
});
