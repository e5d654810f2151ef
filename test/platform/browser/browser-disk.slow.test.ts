import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acquireBrowser, closeBrowser } from "../../../src/platform/browser/connection/binding.ts";
import { openControlConnection } from "../../../src/platform/browser/connection/control-connection.ts";
import { PrivateContexts } from "../../../src/platform/browser/contexts/private-contexts.ts";
import { BrowserDisk, type TreeFile } from "../../../src/platform/browser/files/browser-disk.ts";

function newFile(path: string, content: Uint8Array | string): TreeFile {
  return {
    path,
    read: async () => (typeof content === "string" ? new TextEncoder().encode(content) : content),
  };
}

describe("BrowserDisk in a real Chromium", () => {
  let disk: BrowserDisk;
  /** Frames that began a download. */
  const downloadFrames = new Set<string>();
  let close: () => Promise<void>;

  beforeAll(async () => {
    const browserId = await acquireBrowser(env.BROWSER, 60_000);
    const connection = await openControlConnection(env.BROWSER, browserId);
    connection.on("Browser.downloadWillBegin", ({ frameId }) => downloadFrames.add(frameId));
    await connection.send("Browser.setDownloadBehavior", { behavior: "default", eventsEnabled: true });
    disk = new BrowserDisk(connection, new PrivateContexts(connection));
    close = async () => {
      connection.dispose();
      await closeBrowser(env.BROWSER, browserId);
    };
  });
  afterAll(() => close());

  const read = (path: string) => disk.read(path, (body) => new Response(body).bytes());

  it("writes a file under its name", async () => {
    const path = await disk.write("report.txt", new Blob(["content"]).stream());
    expect(path).toMatch(/\/report\.txt$/);
    expect(new TextDecoder().decode(await read(path))).toBe("content");
    await disk.clear(path);
    expect(await read(path)).toHaveLength(0);
  });

  it("writes a tree of files under their paths", async () => {
    // More files in a directory than Chrome lets a page save at once, dangerous types, and a file in pieces.
    const many = Array.from({ length: 23 }, (_, index) => newFile(`scripts/file-${index}.js`, `${index}`));
    const large = crypto.getRandomValues(new Uint8Array(60_000));
    const files = [
      newFile("manifest.json", "{}"),
      newFile("empty", ""),
      newFile("large.bin", new Uint8Array(await new Blob(Array(10).fill(large)).arrayBuffer())),
      newFile("_locales/en_US/messages.json", "{}"),
      newFile("a b/@deep/[name].js", "name"),
      newFile("install.exe", "exe"),
      newFile("inner.crx", "crx"),
      ...many,
    ];
    const directory = await disk.writeTree(files);
    expect([...downloadFrames].filter((id) => !disk.isOwnFrame(id))).toEqual([]);
    expect(downloadFrames.size).toBeGreaterThan(5);
    for (const { path, read: readFile } of files) {
      expect(await read(`${directory}/${path}`), path).toEqual(await readFile());
    }
  });

  it.each([
    ["name", "~draft.js"],
    ["name", "a:b.js"],
    ["directory", "über/a.js"],
  ])("rejects a tree with a %s that Chrome would change: %s", async (_, path) => {
    await expect(disk.writeTree([newFile("manifest.json", "{}"), newFile(path, "x")])).rejects.toThrow(
      "The browser's disk takes no",
    );
  });
});
