import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acquireBrowser, closeBrowser } from "../../src/browser/connection/binding.ts";
import { openControlConnection } from "../../src/browser/connection/control-connection.ts";
import { PrivateContexts } from "../../src/browser/contexts/private-contexts.ts";
import { BrowserDisk, type TreeFile } from "../../src/browser/files/browser-disk.ts";

function newFile(path: string, content: Uint8Array | string): TreeFile {
  return {
    path,
    read: async () => (typeof content === "string" ? new TextEncoder().encode(content) : content),
  };
}

describe("the disk of a real Chromium", () => {
  let disk: BrowserDisk;
  /** Frames of which the connection has heard that they download something. */
  const frames = new Set<string>();
  let close: () => Promise<void>;

  beforeAll(async () => {
    const browserId = await acquireBrowser(env.BROWSER, 60_000);
    const connection = await openControlConnection(env.BROWSER, browserId);
    connection.on("Browser.downloadWillBegin", ({ frameId }) => frames.add(frameId));
    await connection.send("Browser.setDownloadBehavior", { behavior: "default", eventsEnabled: true });
    disk = new BrowserDisk(connection, new PrivateContexts(connection));
    close = async () => {
      connection.dispose();
      await closeBrowser(env.BROWSER, browserId);
    };
  });
  afterAll(() => close());

  const read = (path: string) => disk.read(path, (body) => new Response(body).bytes());

  it("takes a file, under its name", async () => {
    const path = await disk.write("report.txt", new Blob(["content"]).stream());
    expect(path).toMatch(/\/report\.txt$/);
    expect(new TextDecoder().decode(await read(path))).toBe("content");
    await disk.clear(path);
    expect(await read(path)).toHaveLength(0);
  });

  it("takes a tree of files, each under its path", async () => {
    // More of one directory than Chrome lets a page save at once, some that it warns people of, and one in pieces.
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
    expect([...frames].filter((id) => !disk.isOwnFrame(id))).toEqual([]);
    expect(frames.size).toBeGreaterThan(5);
    for (const { path, read: readFile } of files) {
      expect(await read(`${directory}/${path}`), path).toEqual(await readFile());
    }
  });

  it.each([
    ["name", "~draft.js"],
    ["name", "a:b.js"],
    ["directory", "über/a.js"],
  ])("refuses a tree with a %s that it would change: %s", async (_, path) => {
    await expect(disk.writeTree([newFile("manifest.json", "{}"), newFile(path, "x")])).rejects.toThrow(
      "The browser's disk takes no",
    );
  });
});
