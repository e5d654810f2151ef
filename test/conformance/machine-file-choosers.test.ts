import { randomFillSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { firstPage } from "./connect-page.ts";
import { openDownloadSite, sha256 } from "./download-site.ts";
import { FileClient, FileSession, firstPuppeteerPage, visit } from "./machine-file-session.ts";
import { SharedService } from "./shared-service.ts";

const LARGE = randomFillSync(Buffer.alloc(24 * 1024 * 1024));
const SECRET = "of the machine that the browser runs on";

const NAMES = '[...files.files].map(({ name, size }) => name + " " + size)';
const CONTENT = `files.files[0].text()`;
const CHECKSUM = `files.files[0].arrayBuffer().then((bytes) => crypto.subtle.digest("SHA-256", bytes))
  .then((hash) => new Uint8Array(hash).toHex())`;

let session: FileSession;
/** A folder on this machine, where the browser process runs too. */
let folder: string;

const service = await SharedService.use();
const site = keepForFile(await openDownloadSite(LARGE));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-files-"));
  writeFileSync(join(folder, "secret.txt"), SECRET);
  return () => rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  session = await FileSession.open(service);
  await session.write("/home/kernel/x.pdf", "of the session's machine");
  return () => session[Symbol.asyncDispose]();
});

describe("raw CDP client", () => {
  let client: FileClient;
  let input: string;
  beforeEach(async () => {
    client = await FileClient.open(session, `${site.origin}/`);
    input = await client.find("#files");
    return () => client[Symbol.dispose]();
  });

  const setFiles = (...files: string[]) => client.send("DOM.setFileInputFiles", { files, objectId: input });
  const evaluateAsync = async (promise: string) => {
    const parameters = { expression: promise, awaitPromise: true, returnByValue: true };
    const { result } = await client.send("Runtime.evaluate", parameters);
    return result;
  };

  test("sets files of the machine with trusted events", async () => {
    await session.write("/home/kernel/sub/other name.txt", "other");
    expect(await setFiles("/home/kernel/x.pdf", "/home/kernel/sub/other name.txt")).toEqual({});
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24", "other name.txt 5"]);
    expect(await client.evaluate("files.files[0].type")).toBe("application/pdf");
    expect(await evaluateAsync(CONTENT)).toMatchObject({ value: "of the session's machine" });
    expect(await client.evaluate("events")).toEqual(["input", "change"]);
    await client.click("#send");
    await expect.poll(() => site.uploads.at(-1)).toContain('filename="x.pdf"');
    expect(site.uploads.at(-1)).toContain("of the session's machine");
  });

  test.each([
    "ünï côde.txt",
    "日本語.pdf",
    ".env",
    'a"b:c?.tar.gz',
    "trailing.",
    "~t",
    "x".repeat(255),
    "a\\b",
  ])("sets a file under a name that Chrome would not save: %s", async (name) => {
    await session.write(`/home/kernel/${name}`, "content");
    await setFiles(`/home/kernel/${name}`, "/home/kernel/x.pdf");
    expect(await client.evaluate(NAMES)).toEqual([`${name} 7`, "x.pdf 24"]);
    expect(await evaluateAsync(CONTENT)).toMatchObject({ value: "content" });
    const type = name.endsWith(".pdf") ? "application/pdf" : expect.any(String);
    expect(await client.evaluate("files.files[0].type")).toEqual(type);
    expect(await client.evaluate("events")).toEqual(["input untrusted", "change untrusted"]);
  });

  test("sets a large file and an empty one", async () => {
    await session.write("/tmp/large.bin", LARGE);
    await session.write("/tmp/empty", "");
    await setFiles("/tmp/large.bin", "/tmp/empty");
    expect(await client.evaluate(NAMES)).toEqual([`large.bin ${LARGE.length}`, "empty 0"]);
    expect(await evaluateAsync(CHECKSUM)).toMatchObject({ value: sha256(LARGE) });
  });

  test("sets a downloaded file", async () => {
    await client.setDownloadBehavior("default");
    await client.click("#report");
    const { filePath = "" } = await client.waitForDownloadEnd();
    await setFiles(filePath);
    expect(await client.evaluate("files.files[0].name")).toBe("report.txt");
  });

  test("never sets files of the browser's own disk", async () => {
    const secret = join(folder, "secret.txt");
    const missing = `-32000 File not found: ${secret}`;
    await expect(setFiles(secret)).rejects.toThrow(missing);
    await expect(setFiles("/home/kernel/x.pdf", secret)).rejects.toThrow(missing);
    await expect(setFiles(`/home/kernel/../..${secret}`)).rejects.toThrow("File not found");
    await expect(setFiles(`.${secret}`)).rejects.toThrow("File not found");
    await expect(setFiles("/tmp")).rejects.toThrow("File not found");
    // Exists on both machines.
    await setFiles("/etc/passwd");
    expect(await evaluateAsync(CONTENT)).toMatchObject({ value: await session.readText("/etc/passwd") });
  });

  test("never sets files of that disk by escaped, wrapped or drag commands", async () => {
    const secret = join(folder, "secret.txt");
    const parameters = JSON.stringify({ files: [secret], objectId: input });
    const method = String.raw`DOM.\u0073etFileInputFiles`;
    client.client.socket.send(
      `{"id":900001,"sessionId":"${client.page}","params":${parameters},"method":"${method}"}`,
    );
    const message = JSON.stringify({
      id: 1,
      method: "DOM.setFileInputFiles",
      params: { files: [secret], objectId: input },
    });
    await expect(
      client.client.send("Target.sendMessageToTarget", { sessionId: client.page, message }),
    ).rejects.toThrow("Commands must come over this connection");
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      const data = { items: [], files: [secret], dragOperationsMask: 1 };
      const drag = client.send("Input.dispatchDragEvent", { type, x: 5, y: 5, data });
      await (type === "drop" ? expect(drag).rejects.toThrow("File not found") : drag);
    }
    expect(await client.evaluate("files.files.length")).toBe(0);
  });

  test("drops files of the machine on a page", async () => {
    await client.evaluate("target.scrollIntoView()");
    const middle = await client.evaluate(
      "(({ x, y }) => ({ x: x + 50, y: y + 50 }))(target.getBoundingClientRect())",
    );
    const data = { items: [], files: ["/home/kernel/x.pdf"], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await client.send("Input.dispatchDragEvent", { type, ...Object(middle), data });
    }
    expect(await evaluateAsync("dropped[0].text()")).toMatchObject({ value: "of the session's machine" });
    expect(await client.evaluate("dropped[0].name")).toBe("x.pdf");
  });

  test("drops files with the names that they have on the machine", async () => {
    const names = [
      "résumé.pdf",
      "日本語.txt",
      ".env",
      "trailing dot.",
      `${"x".repeat(196)}.txt`,
      "plain.txt",
    ];
    for (const name of names) await session.write(`/home/kernel/${name}`, name);
    const middle = await client.evaluate(
      "(({ x, y }) => ({ x: x + 50, y: y + 50 }))(target.getBoundingClientRect())",
    );
    const data = { items: [], files: names.map((name) => `/home/kernel/${name}`), dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await client.send("Input.dispatchDragEvent", { type, ...Object(middle), data });
    }
    expect(await client.evaluate("dropped.map(({ name }) => name)")).toEqual(names);
    const texts = "Promise.all(dropped.map((file) => file.text())).then(JSON.stringify)";
    expect(await evaluateAsync(texts)).toMatchObject({ value: JSON.stringify(names) });
  });

  test("reports errors as Chrome does", async () => {
    await expect(client.send("DOM.setFileInputFiles", { objectId: input })).rejects.toThrow("-32602");
    const target = await client.find("#target");
    await session.write("/home/kernel/é", "");
    for (const file of ["/home/kernel/x.pdf", "/home/kernel/é"]) {
      await expect(client.send("DOM.setFileInputFiles", { files: [file], objectId: target })).rejects.toThrow(
        "Node is not a file input element",
      );
    }
  });
});

describe("Playwright", () => {
  test("sets files of the client's machine", async () => {
    const browser = await chromium.connectOverCDP(session.address);
    const page = firstPage(browser);
    await visit(page, site.origin);
    await page.setInputFiles("#files", join(folder, "secret.txt"));
    expect(await page.evaluate(CONTENT)).toBe(SECRET);
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#files")]);
    await chooser.setFiles({ name: "made.txt", mimeType: "text/plain", buffer: Buffer.from("made") });
    expect(await page.evaluate(CONTENT)).toBe("made");
    await browser.close();
  });

  test("sets files of the session's machine over a CDP session", async () => {
    const browser = await chromium.connectOverCDP(session.address);
    const page = firstPage(browser);
    await visit(page, site.origin);
    const devtools = await page.context().newCDPSession(page);
    const { root } = await devtools.send("DOM.getDocument");
    const { nodeId } = await devtools.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
    await devtools.send("DOM.setFileInputFiles", { files: ["/home/kernel/x.pdf"], nodeId });
    expect(await page.evaluate(CONTENT)).toBe("of the session's machine");
    await browser.close();
  });
});

describe("Puppeteer", () => {
  test("reports a file that does not exist on the machine", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: session.address, defaultViewport: null });
    const page = await firstPuppeteerPage(browser);
    await visit(page, site.origin);
    const input = await page.waitForSelector("input#files");
    await expect(input?.uploadFile("/home/kernel/nothing")).rejects.toThrow(
      "File not found: /home/kernel/nothing",
    );
    await browser.disconnect();
  });
});
