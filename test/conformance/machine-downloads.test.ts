import { randomFillSync } from "node:crypto";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { keepForFile } from "../outside/keep-for-file.ts";
import { firstPage } from "./connect-page.ts";
import { BLOB_CONTENT, DATA_URL_CONTENT, openDownloadSite, REPORT, sha256 } from "./download-site.ts";
import { DOWNLOADS, FileClient, FileSession, firstPuppeteerPage, visit } from "./machine-file-session.ts";
import { SharedService } from "./shared-service.ts";

const LARGE = randomFillSync(Buffer.alloc(24 * 1024 * 1024));

const contextSchema = z.object({ browserContextId: z.string() });

let session: FileSession;

const service = await SharedService.use();
const site = keepForFile(await openDownloadSite(LARGE));
beforeEach(async () => {
  session = await FileSession.open(service, { start_url: site.origin });
  return () => session[Symbol.asyncDispose]();
});

describe("downloads without a connected client", () => {
  /** Clicks one of the site's links, which are stacked vertically. */
  async function click(index: number): Promise<void> {
    await session.kernel.browsers.computer.clickMouse(session.id, { x: 60, y: 28 + index * 50 });
  }

  test("saves a clicked download under its own name, numbered if the name is taken", async () => {
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
    // An unknown number of the clicks above reached the page.
    await expect.poll(async () => (await session.list(DOWNLOADS)).length).toBeGreaterThan(before.length);
    for (const name of await session.list(DOWNLOADS)) {
      expect(name).toMatch(/^report(?: \(\d+\))?\.txt$/);
      expect(await session.readText(`${DOWNLOADS}/${name}`)).toBe(REPORT);
    }
  });

  test("saves files of links, blobs and data URLs", async () => {
    using client = await FileClient.open(session, `${site.origin}/`);
    client.client[Symbol.dispose]();
    for (const index of [1, 2, 3]) await click(index);
    await session.waitForFiles(DOWNLOADS, "data.txt", "made.txt", "renamed.txt");
    expect(await session.readText(`${DOWNLOADS}/renamed.txt`)).toBe("plain");
    expect(await session.readText(`${DOWNLOADS}/made.txt`)).toBe(BLOB_CONTENT);
    expect(await session.readText(`${DOWNLOADS}/data.txt`)).toBe(DATA_URL_CONTENT);
  });
});

describe("downloads over raw CDP", () => {
  let client: FileClient;
  beforeEach(async () => {
    client = await FileClient.open(session, `${site.origin}/`);
    return () => client[Symbol.dispose]();
  });

  test("are in the client's directory when the completion event arrives", async () => {
    await client.setDownloadBehavior("allow", "/tmp/downloads");
    await client.click("#large");
    const end = await client.waitForDownloadEnd();
    expect(sha256(await session.read("/tmp/downloads/large.bin"))).toBe(sha256(LARGE));
    expect(end).toMatchObject({ state: "completed", filePath: "/tmp/downloads/large.bin" });
    expect(await session.list("/tmp/downloads")).toEqual(["large.bin"]);
    expect(await session.list(DOWNLOADS)).toEqual([]);
  });

  test("overwrite an earlier file of the same name", async () => {
    await client.setDownloadBehavior("allow", "/tmp/downloads");
    await client.click("#report");
    await client.waitForDownloadEnd();
    await session.write("/tmp/downloads/report.txt", "changed");
    await client.click("#report");
    await client.waitForDownloadEnd();
    expect(await session.readText("/tmp/downloads/report.txt")).toBe(REPORT);
    expect(await session.list("/tmp/downloads")).toEqual(["report.txt"]);
  });

  test("are stored by GUID with allowAndName, and by name in Downloads", async () => {
    await client.setDownloadBehavior("allowAndName", "/tmp/downloads");
    await client.click("#report");
    const { guid, filePath } = await client.waitForDownloadEnd();
    expect(filePath).toBe(`/tmp/downloads/${guid}`);
    expect(await session.readText(`/tmp/downloads/${guid}`)).toBe(REPORT);
    expect(await session.readText(`${DOWNLOADS}/report.txt`)).toBe(REPORT);
  });

  test("are reported to a page's session only once the file is stored", async () => {
    await client.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: "/tmp/downloads",
      eventsEnabled: true,
    });
    await client.click("#large");
    await client.waitForDownloadEnd("Page.downloadProgress", client.page);
    expect(await session.list("/tmp/downloads")).toEqual(["large.bin"]);
    expect(await client.waitForDownloadEnd("Browser.downloadProgress", client.page)).toMatchObject({
      filePath: "/tmp/downloads/large.bin",
    });
  });

  test("follow Page.setDownloadBehavior too", async () => {
    await client.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp/of-page" });
    await client.click("#report");
    await session.waitForFiles("/tmp/of-page", "report.txt");
  });

  test("are denied until the client that denies them disconnects", async () => {
    await client.setDownloadBehavior("deny");
    await client.click("#report");
    expect(await client.waitForDownloadEnd()).toMatchObject({ state: "canceled" });
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

  test("are rejected with Chrome's errors", async () => {
    await expect(client.setDownloadBehavior("allow")).rejects.toThrow("-32602 downloadPath not provided");
    await expect(client.setDownloadBehavior("deny", undefined, "no such context")).rejects.toThrow(
      "-32602 Failed to find browser context",
    );
    await expect(client.client.send("Browser.setDownloadBehavior")).rejects.toThrow("-32602");
    await expect(client.client.send("Page.setDownloadBehavior", { behavior: "deny" })).rejects.toThrow(
      "-32601",
    );
    await expect(client.send("Target.getBrowserContexts")).rejects.toThrow("Not allowed");
  });

  test("are reported only after opting in, without those of Berth itself", async () => {
    const events = () => client.events.filter((method) => method.startsWith("Browser."));
    await client.click("#report");
    await session.waitForFiles(DOWNLOADS, "report.txt");
    expect(events()).toEqual([]);
    await client.setDownloadBehavior("default");
    await session.write("/tmp/a.txt", "a");
    await client.send("DOM.setFileInputFiles", {
      files: ["/tmp/a.txt"],
      objectId: await client.find("#files"),
    });
    await client.click("#report");
    expect(await client.waitForDownloadEnd()).toMatchObject({ filePath: `${DOWNLOADS}/report (1).txt` });
    await client.send("DOM.setFileInputFiles", {
      files: ["/tmp/a.txt"],
      objectId: await client.find("#files"),
    });
    expect(events().filter((method) => method === "Browser.downloadWillBegin")).toHaveLength(1);
    expect(await client.client.send("Target.getBrowserContexts")).toMatchObject({ browserContextIds: [] });
  });

  test("appear only when complete, and never when broken off", async () => {
    await client.setDownloadBehavior("default");
    await client.click("#slow");
    await expect.poll(() => client.events).toContain("Browser.downloadProgress");
    await client.click("#report");
    await session.waitForFiles(DOWNLOADS, "report.txt");
    site.finishSlow();
    await client.waitForDownloadEnd();
    await client.waitForDownloadEnd();
    expect(await session.readText(`${DOWNLOADS}/slow.bin`)).toBe("the first half, the second half");

    await client.click("#slow");
    const eventCount = client.events.length;
    await expect.poll(() => client.events.length).toBeGreaterThan(eventCount);
    site.abortSlow();
    expect(await client.waitForDownloadEnd()).toMatchObject({ state: "canceled" });
    expect(await session.list(DOWNLOADS)).toEqual(["report.txt", "slow.bin"]);
  });

  test("can be cancelled", async () => {
    await client.setDownloadBehavior("default");
    await client.click("#slow");
    const started = Promise.withResolvers<string>();
    client.client.socket.on("message", (data) => {
      const guid = /"Browser\.downloadProgress","params":\{"guid":"([^"]+)"/.exec(data.toString())?.[1];
      if (guid !== undefined) started.resolve(guid);
    });
    await client.client.send("Browser.cancelDownload", { guid: await started.promise });
    expect(await client.waitForDownloadEnd()).toMatchObject({ state: "canceled" });
    site.abortSlow();
  });

  test("include those of frames, new tabs and browser contexts", async () => {
    await client.setDownloadBehavior("allow", "/tmp/default");
    const created = await client.client.send("Target.createBrowserContext");
    const { browserContextId } = contextSchema.parse(created);
    await client.setDownloadBehavior("allow", "/tmp/own", browserContextId);
    const url = `${site.origin}/report`;
    await client.send("Runtime.evaluate", {
      expression: `document.querySelector("iframe").contentDocument.querySelector("a").click()`,
      userGesture: true,
    });
    await client.waitForDownloadEnd();
    expect(await session.list("/tmp/default")).toEqual(["report.txt"]);
    await client.client.send("Target.createTarget", { url, browserContextId });
    await client.waitForDownloadEnd();
    expect(await session.list("/tmp/own")).toEqual(["report.txt"]);
    await session.kernel.browsers.fs.deleteDirectory(session.id, { path: "/tmp/default" });
    await client.send("Runtime.evaluate", { expression: `open("${url}")`, userGesture: true });
    await client.waitForDownloadEnd();
    expect(await session.list("/tmp/default")).toEqual(["report.txt"]);
  });

  test("are stored in the directory of each client", async () => {
    using other = await FileClient.open(session, `${site.origin}/`);
    await client.setDownloadBehavior("allow", "/tmp/one");
    await other.setDownloadBehavior("allowAndName", "/tmp/two");
    await client.click("#report");
    const [one, two] = await Promise.all([client.waitForDownloadEnd(), other.waitForDownloadEnd()]);
    expect(one.filePath).toBe("/tmp/one/report.txt");
    expect(two.filePath).toBe(`/tmp/two/${one.guid}`);
    expect(await session.readText(`/tmp/two/${one.guid}`)).toBe(REPORT);
  });

  test("log no error when the session ends while one is stored", async () => {
    const mark = service.log.mark();
    const ending = await FileSession.open(service);
    using endingClient = await FileClient.open(ending, `${site.origin}/`);
    await endingClient.setDownloadBehavior("default");
    await endingClient.click("#large");
    await expect.poll(() => endingClient.events).toContain("Browser.downloadProgress");
    await ending[Symbol.asyncDispose]();
    await endingClient.client.closed;
    expect(service.log.events({ event: "download_not_stored" }, mark)).toEqual([]);
  });
});

test("two clients can name the same directory by different paths", async () => {
  using one = await FileClient.open(session, `${site.origin}/`);
  using other = await FileClient.open(session, `${site.origin}/`);
  await session.kernel.browsers.process.exec(session.id, { command: "mkdir shared && ln -s shared link" });
  await one.setDownloadBehavior("allow", "/home/kernel/shared");
  await other.setDownloadBehavior("allow", "/home/kernel/link");
  await one.click("#report");
  const paths = await Promise.all(
    [one, other].map(async (client) => (await client.waitForDownloadEnd()).filePath),
  );
  expect(paths).toEqual(["/home/kernel/shared/report.txt", "/home/kernel/link/report.txt"]);
  expect(await session.list("/home/kernel/shared")).toEqual(["report.txt"]);
  expect(await session.readText("/home/kernel/shared/report.txt")).toBe(REPORT);
});

describe("Playwright downloads", () => {
  test("are in Downloads once they have succeeded", async () => {
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

  test("include those of new contexts, unless a context denies them", async () => {
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

  test("go to a directory set over a CDP session", async () => {
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

describe("Puppeteer downloads", () => {
  test("are in Downloads", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: session.address, defaultViewport: null });
    expect(browser.browserContexts()).toHaveLength(1);
    const page = await firstPuppeteerPage(browser);
    await visit(page, site.origin);
    await page.click("#blob");
    await session.waitForFiles(DOWNLOADS, "made.txt");
    expect(await session.readText(`${DOWNLOADS}/made.txt`)).toBe(BLOB_CONTENT);
    await browser.disconnect();
  });

  test("go to a directory that the client names", async () => {
    const browser = await puppeteer.connect({
      browserWSEndpoint: session.address,
      defaultViewport: null,
      downloadBehavior: { policy: "allow", downloadPath: "/home/kernel/mine" },
    });
    const page = await firstPuppeteerPage(browser);
    await visit(page, site.origin);
    await page.click("#report");
    await session.waitForFiles("/home/kernel/mine", "report.txt");
    expect(await session.readText("/home/kernel/mine/report.txt")).toBe(REPORT);
    await browser.disconnect();
  });
});
