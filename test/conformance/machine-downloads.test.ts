import { randomFillSync } from "node:crypto";
import { type Browser, chromium, type Page } from "playwright-core";
import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { BLOB_CONTENT, DATA_URL_CONTENT, DownloadSite, REPORT, sha256 } from "./download-site.ts";
import { DOWNLOADS, FileClient, FileSession, firstPageOf, visit } from "./machine-files-of-session.ts";
import { SharedService } from "./shared-service.ts";

const LARGE = randomFillSync(Buffer.alloc(24 * 1024 * 1024));

const contextSchema = z.object({ browserContextId: z.string() });

let service: SharedService;
let site: DownloadSite;
let session: FileSession;

beforeAll(async () => {
  [service, site] = await Promise.all([SharedService.use(), DownloadSite.open(LARGE)]);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.end();
});
beforeEach(async () => {
  session = await FileSession.open(service, { start_url: site.origin });
  return () => session[Symbol.asyncDispose]();
});

function firstPage(browser: Browser): Page {
  const page = browser.contexts()[0]?.pages()[0];
  if (page === undefined) throw new Error("the session has no page");
  return page;
}

describe("without any client", () => {
  /** Clicks the site's links, which are one below the other. */
  async function click(index: number): Promise<void> {
    await session.kernel.browsers.computer.clickMouse(session.id, { x: 60, y: 28 + index * 50 });
  }

  test("what a click downloads is there under its own name, and numbered where that is taken", async () => {
    await expect
      .poll(async () => {
        await click(0);
        return session.list(DOWNLOADS).catch(() => []);
      })
      .not.toEqual([]);
    await expect.poll(() => session.list(DOWNLOADS)).toContain("report.txt");
    expect(await session.readText(`${DOWNLOADS}/report.txt`)).toBe(REPORT);
    const before = await session.list(DOWNLOADS);
    await click(0);
    // How many of the clicks before came while the page was there already is not known.
    await expect.poll(async () => (await session.list(DOWNLOADS)).length).toBeGreaterThan(before.length);
    for (const name of await session.list(DOWNLOADS)) {
      expect(name).toMatch(/^report(?: \(\d+\))?\.txt$/);
      expect(await session.readText(`${DOWNLOADS}/${name}`)).toBe(REPORT);
    }
  });

  test("so are files of links, blobs and data URLs", async () => {
    using client = await FileClient.open(session, `${site.origin}/`);
    client.client[Symbol.dispose]();
    for (const index of [1, 2, 3]) await click(index);
    await session.untilListed(DOWNLOADS, "data.txt", "made.txt", "renamed.txt");
    expect(await session.readText(`${DOWNLOADS}/renamed.txt`)).toBe("plain");
    expect(await session.readText(`${DOWNLOADS}/made.txt`)).toBe(BLOB_CONTENT);
    expect(await session.readText(`${DOWNLOADS}/data.txt`)).toBe(DATA_URL_CONTENT);
  });
});

describe("a client over a bare connection", () => {
  let client: FileClient;
  beforeEach(async () => {
    client = await FileClient.open(session, `${site.origin}/`);
    return () => client[Symbol.dispose]();
  });

  test("finds a download in its directory as soon as it is told of its end", async () => {
    await client.want("allow", "/tmp/downloads");
    await client.click("#large");
    const end = await client.untilEnd();
    expect(sha256(await session.read("/tmp/downloads/large.bin"))).toBe(sha256(LARGE));
    expect(end).toMatchObject({ state: "completed", filePath: "/tmp/downloads/large.bin" });
    expect(await session.list("/tmp/downloads")).toEqual(["large.bin"]);
    expect(await session.list(DOWNLOADS)).toEqual([]);
  });

  test("finds the later of two of the same name there", async () => {
    await client.want("allow", "/tmp/downloads");
    await client.click("#report");
    await client.untilEnd();
    await session.write("/tmp/downloads/report.txt", "changed");
    await client.click("#report");
    await client.untilEnd();
    expect(await session.readText("/tmp/downloads/report.txt")).toBe(REPORT);
    expect(await session.list("/tmp/downloads")).toEqual(["report.txt"]);
  });

  test("finds a download by its GUID, and under its own name where downloads are", async () => {
    await client.want("allowAndName", "/tmp/downloads");
    await client.click("#report");
    const { guid, filePath } = await client.untilEnd();
    expect(filePath).toBe(`/tmp/downloads/${guid}`);
    expect(await session.readText(`/tmp/downloads/${guid}`)).toBe(REPORT);
    expect(await session.readText(`${DOWNLOADS}/report.txt`)).toBe(REPORT);
  });

  test("is told by a page's session, and by the page, not before the file is there", async () => {
    await client.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: "/tmp/downloads",
      eventsEnabled: true,
    });
    await client.click("#large");
    await client.untilEnd("Page.downloadProgress", client.page);
    expect(await session.list("/tmp/downloads")).toEqual(["large.bin"]);
    expect(await client.untilEnd("Browser.downloadProgress", client.page)).toMatchObject({
      filePath: "/tmp/downloads/large.bin",
    });
  });

  test("sets the behaviour by a page, too", async () => {
    await client.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp/of-page" });
    await client.click("#report");
    await session.untilListed("/tmp/of-page", "report.txt");
  });

  test("may have no downloads, until it leaves", async () => {
    await client.want("deny");
    await client.click("#report");
    expect(await client.untilEnd()).toMatchObject({ state: "canceled" });
    expect(await session.list(DOWNLOADS)).toEqual([]);

    using other = await FileClient.open(session, `${site.origin}/`);
    client[Symbol.dispose]();
    await expect
      .poll(async () => {
        await other.click("#report");
        return session.list(DOWNLOADS).catch(() => []);
      })
      .toContain("report.txt");
  });

  test("is refused what Chrome refuses", async () => {
    await expect(client.want("allow")).rejects.toThrow("-32602 downloadPath not provided");
    await expect(client.want("deny", undefined, "no such context")).rejects.toThrow(
      "-32602 Failed to find browser context",
    );
    await expect(client.client.send("Browser.setDownloadBehavior")).rejects.toThrow("-32602");
    await expect(client.client.send("Page.setDownloadBehavior", { behavior: "deny" })).rejects.toThrow(
      "-32601",
    );
    await expect(client.send("Target.getBrowserContexts")).rejects.toThrow("Not allowed");
  });

  test("is told of downloads only once it asks, and of none of Berth's own", async () => {
    const events = () => client.events.filter((method) => method.startsWith("Browser."));
    await client.click("#report");
    await session.untilListed(DOWNLOADS, "report.txt");
    expect(events()).toEqual([]);
    await client.want("default");
    await session.write("/tmp/a.txt", "a");
    await client.send("DOM.setFileInputFiles", {
      files: ["/tmp/a.txt"],
      objectId: await client.find("#files"),
    });
    await client.click("#report");
    expect(await client.untilEnd()).toMatchObject({ filePath: `${DOWNLOADS}/report (1).txt` });
    await client.send("DOM.setFileInputFiles", {
      files: ["/tmp/a.txt"],
      objectId: await client.find("#files"),
    });
    expect(events().filter((method) => method === "Browser.downloadWillBegin")).toHaveLength(1);
    expect(await client.client.send("Target.getBrowserContexts")).toMatchObject({ browserContextIds: [] });
  });

  test("never finds a part of a download, nor one that breaks", async () => {
    await client.want("default");
    await client.click("#slow");
    await expect.poll(() => client.events).toContain("Browser.downloadProgress");
    await client.click("#report");
    await session.untilListed(DOWNLOADS, "report.txt");
    site.finishSlow();
    await client.untilEnd();
    await client.untilEnd();
    expect(await session.readText(`${DOWNLOADS}/slow.bin`)).toBe("the first half, the second half");

    await client.click("#slow");
    const begun = client.events.length;
    await expect.poll(() => client.events.length).toBeGreaterThan(begun);
    site.abortSlow();
    expect(await client.untilEnd()).toMatchObject({ state: "canceled" });
    expect(await session.list(DOWNLOADS)).toEqual(["report.txt", "slow.bin"]);
  });

  test("cancels a download", async () => {
    await client.want("default");
    await client.click("#slow");
    const begins = Promise.withResolvers<string>();
    client.client.socket.on("message", (data) => {
      const guid = /"Browser\.downloadProgress","params":\{"guid":"([^"]+)"/.exec(data.toString())?.[1];
      if (guid !== undefined) begins.resolve(guid);
    });
    await client.client.send("Browser.cancelDownload", { guid: await begins.promise });
    expect(await client.untilEnd()).toMatchObject({ state: "canceled" });
    site.abortSlow();
  });

  test("finds downloads of frames, new tabs and contexts of its own", async () => {
    await client.want("allow", "/tmp/default");
    const created = await client.client.send("Target.createBrowserContext");
    const { browserContextId } = contextSchema.parse(created);
    await client.want("allow", "/tmp/own", browserContextId);
    const url = `${site.origin}/report`;
    await client.send("Runtime.evaluate", {
      expression: `document.querySelector("iframe").contentDocument.querySelector("a").click()`,
      userGesture: true,
    });
    await client.untilEnd();
    expect(await session.list("/tmp/default")).toEqual(["report.txt"]);
    await client.client.send("Target.createTarget", { url, browserContextId });
    await client.untilEnd();
    expect(await session.list("/tmp/own")).toEqual(["report.txt"]);
    await session.kernel.browsers.fs.deleteDirectory(session.id, { path: "/tmp/default" });
    await client.send("Runtime.evaluate", { expression: `open("${url}")`, userGesture: true });
    await client.untilEnd();
    expect(await session.list("/tmp/default")).toEqual(["report.txt"]);
  });

  test("finds a download where it wants it, and so does another client", async () => {
    using other = await FileClient.open(session, `${site.origin}/`);
    await client.want("allow", "/tmp/one");
    await other.want("allowAndName", "/tmp/two");
    await client.click("#report");
    const [one, two] = await Promise.all([client.untilEnd(), other.untilEnd()]);
    expect(one.filePath).toBe("/tmp/one/report.txt");
    expect(two.filePath).toBe(`/tmp/two/${one.guid}`);
    expect(await session.readText(`/tmp/two/${one.guid}`)).toBe(REPORT);
  });

  test("ends a session while a download is copied, of which nobody complains", async () => {
    const mark = service.log.mark();
    const gone = await FileSession.open(service);
    using late = await FileClient.open(gone, `${site.origin}/`);
    await late.want("default");
    await late.click("#large");
    await expect.poll(() => late.events).toContain("Browser.downloadProgress");
    await gone[Symbol.asyncDispose]();
    await late.client.closed;
    expect(service.log.events({ event: "download_not_stored" }, mark)).toEqual([]);
  });
});

test("two clients may name one directory, each in its own words", async () => {
  using one = await FileClient.open(session, `${site.origin}/`);
  using other = await FileClient.open(session, `${site.origin}/`);
  await session.kernel.browsers.process.exec(session.id, { command: "mkdir shared && ln -s shared link" });
  await one.want("allow", "/home/kernel/shared");
  await other.want("allow", "/home/kernel/link");
  await one.click("#report");
  const paths = await Promise.all([one, other].map(async (client) => (await client.untilEnd()).filePath));
  expect(paths).toEqual(["/home/kernel/shared/report.txt", "/home/kernel/link/report.txt"]);
  expect(await session.list("/home/kernel/shared")).toEqual(["report.txt"]);
  expect(await session.readText("/home/kernel/shared/report.txt")).toBe(REPORT);
});

describe("Playwright", () => {
  test("finds its downloads where downloads are, once they have not failed", async () => {
    const browser = await chromium.connectOverCDP(session.address);
    const page = firstPage(browser);
    await visit(page, site.origin);
    for (const [link, name, content] of [
      ["#report", "report.txt", REPORT],
      ["#blob", "made.txt", BLOB_CONTENT],
      ["#data", "data.txt", DATA_URL_CONTENT],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(link)]);
      expect(download.suggestedFilename()).toBe(name);
      expect(await download.failure()).toBeNull();
      expect(await session.readText(`${DOWNLOADS}/${name}`)).toBe(content);
    }
    await browser.close();
  });

  test("finds those of contexts of its own, and may have none", async () => {
    const browser = await chromium.connectOverCDP(session.address);
    const context = await browser.newContext();
    const page = await context.newPage();
    await visit(page, site.origin);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#report")]);
    expect(await download.failure()).toBeNull();
    expect(await session.readText(`${DOWNLOADS}/report.txt`)).toBe(REPORT);

    const strict = await browser.newContext({ acceptDownloads: false });
    const strictPage = await strict.newPage();
    await visit(strictPage, site.origin);
    const [denied] = await Promise.all([strictPage.waitForEvent("download"), strictPage.click("#report")]);
    expect(await denied.failure()).toContain("acceptDownloads");
    expect(await session.list(DOWNLOADS)).toEqual(["report.txt"]);
    await browser.close();
  });

  test("has them in a directory that it names over a session of DevTools", async () => {
    const browser = await chromium.connectOverCDP(session.address);
    const page = firstPage(browser);
    await visit(page, site.origin);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: "/tmp/downloads",
      eventsEnabled: true,
    });
    const ended = new Promise<void>((resolve) => {
      devtools.on("Browser.downloadProgress", ({ state }) => {
        if (state !== "inProgress") resolve();
      });
    });
    await page.click("#large");
    await ended;
    expect(sha256(await session.read("/tmp/downloads/large.bin"))).toBe(sha256(LARGE));
    await browser.close();
  });
});

describe("Puppeteer", () => {
  test("finds its downloads where downloads are", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: session.address, defaultViewport: null });
    expect(browser.browserContexts()).toHaveLength(1);
    const page = await firstPageOf(browser);
    await visit(page, site.origin);
    await page.click("#blob");
    await session.untilListed(DOWNLOADS, "made.txt");
    expect(await session.readText(`${DOWNLOADS}/made.txt`)).toBe(BLOB_CONTENT);
    await browser.disconnect();
  });

  test("finds them in a directory that it names", async () => {
    const browser = await puppeteer.connect({
      browserWSEndpoint: session.address,
      defaultViewport: null,
      downloadBehavior: { policy: "allow", downloadPath: "/home/kernel/mine" },
    });
    const page = await firstPageOf(browser);
    await visit(page, site.origin);
    await page.click("#report");
    await session.untilListed("/home/kernel/mine", "report.txt");
    expect(await session.readText("/home/kernel/mine/report.txt")).toBe(REPORT);
    await browser.disconnect();
  });
});
