import { describe, expect, it } from "vitest";
import { DownloadBehaviors } from "../../../src/platform/browser/files/download-behaviors.ts";
import {
  type DownloadBehavior,
  downloadDestinations,
  numberedName,
  toDirectory,
} from "../../../src/platform/browser/files/download-destinations.ts";

const DOWNLOAD = { guid: "guid-1", name: "report.pdf" };
const DEFAULT_PLACE = { directory: "/home/kernel/Downloads", name: "report.pdf", ifTaken: "number" };

const allow = (directory: string): DownloadBehavior => ({ kind: "allow", directory });
const allowAndName = (directory: string): DownloadBehavior => ({ kind: "allowAndName", directory });

function paths(...behaviors: DownloadBehavior[]): string[] {
  return downloadDestinations(
    DOWNLOAD,
    behaviors.map((behavior, index): [number, DownloadBehavior] => [index, behavior]),
  ).map(({ place: { directory, name } }) => `${directory}/${name}`);
}

describe("numberedName", () => {
  it.each([
    ["a.pdf", 0, "a.pdf"],
    ["a.pdf", 1, "a (1).pdf"],
    ["a.tar.gz", 2, "a (2).tar.gz"],
    [".env", 1, ".env (1)"],
    ["a", 10, "a (10)"],
    [`${"x".repeat(251)}.txt`, 1, `${"x".repeat(247)} (1).txt`],
    [`${"é".repeat(125)}.txt`, 12, `${"é".repeat(123)} (12).txt`],
  ])("numbers %s with %i as %s", (name, number, expected) => {
    expect(numberedName(name, number)).toBe(expected);
    expect(new TextEncoder().encode(expected).length).toBeLessThanOrEqual(255);
  });
});

describe("downloadDestinations", () => {
  it("defaults to the session's downloads, numbered if the name is taken", () => {
    expect(downloadDestinations(DOWNLOAD, [])).toEqual([{ client: undefined, place: DEFAULT_PLACE }]);
  });

  it("uses the client's directory, replacing an existing file", () => {
    expect(downloadDestinations(DOWNLOAD, [["c", allow("/tmp/d")]])).toEqual([
      { client: "c", place: { directory: "/tmp/d", name: "report.pdf", ifTaken: "replace" } },
    ]);
  });

  it.each<[string, DownloadBehavior[], string[]]>([
    [
      "in the default place too when a client names it by its GUID",
      [allowAndName("/tmp/a")],
      ["/home/kernel/Downloads/report.pdf", "/tmp/a/guid-1"],
    ],
    ["in the directory of each client", [allow("/a"), allow("/b")], ["/a/report.pdf", "/b/report.pdf"]],
    [
      "under its own name first",
      [allowAndName("/a"), allow("/b"), allowAndName("/c")],
      ["/b/report.pdf", "/a/guid-1", "/c/guid-1"],
    ],
    [
      "in the default place for a client that denies it",
      [{ kind: "deny" }],
      ["/home/kernel/Downloads/report.pdf"],
    ],
  ])("puts a download %s", (_, behaviors, expected) => {
    expect(paths(...behaviors)).toEqual(expected);
  });

  it.each([
    ["a/b", "a_b"],
    ["..", "download"],
    ["", "download"],
    ["a\0b", "a_b"],
    ["..b", "..b"],
    ["日本.txt", "日本.txt"],
    [`${"x".repeat(300)}.pdf`, `${"x".repeat(251)}.pdf`],
    [`${"é".repeat(200)}.pdf`, `${"é".repeat(125)}.pdf`],
  ])("turns %j into the valid file name %j", (name, expected) => {
    expect(downloadDestinations({ guid: "g", name }, [])[0].place.name).toBe(expected);
  });
});

describe("toDirectory", () => {
  it.each([
    ["/tmp/downloads", "/tmp/downloads"],
    ["/tmp/downloads/", "/tmp/downloads"],
    ["/", ""],
    ["downloads", "/home/kernel/downloads"],
    ["./downloads", "/home/kernel/./downloads"],
    ["C:\\Users\\ada\\AppData\\Local\\Temp\\x", undefined],
    ["d:/temp", undefined],
    ["\\\\server\\share", undefined],
    ["/a\0b", undefined],
  ])("resolves %j to %j", (path, expected) => {
    expect(toDirectory(path)).toBe(expected);
  });
});

describe("DownloadBehaviors", () => {
  it("returns behaviors in the order they were set, one per client", () => {
    const behaviors = new DownloadBehaviors<string>();
    behaviors.set("a", "", allow("/1"));
    behaviors.set("b", "", allow("/2"));
    behaviors.set("a", "", allow("/3"));
    expect(behaviors.of("")).toEqual([
      ["b", allow("/2")],
      ["a", allow("/3")],
    ]);
    expect(behaviors.of("another context")).toEqual([]);
  });

  it("denies downloads only while the last behavior is a denial", () => {
    const behaviors = new DownloadBehaviors<string>();
    behaviors.set("a", "", { kind: "deny" });
    expect(behaviors.isDenied("")).toBe(true);
    behaviors.set("b", "", allow("/2"));
    expect(behaviors.isDenied("")).toBe(false);
    behaviors.set("b", "", undefined);
    expect(behaviors.isDenied("")).toBe(true);
  });

  it("removes the behaviors of a client", () => {
    const behaviors = new DownloadBehaviors<string>();
    behaviors.set("a", "", { kind: "deny" });
    behaviors.set("a", "other", allow("/1"));
    behaviors.set("b", "third", allow("/1"));
    expect(behaviors.remove("a")).toEqual(["", "other"]);
    expect(behaviors.isDenied("")).toBe(false);
    expect(behaviors.of("other")).toEqual([]);
    expect(behaviors.of("third")).toHaveLength(1);
  });
});
