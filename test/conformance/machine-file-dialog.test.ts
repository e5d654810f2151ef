import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { layOutDialog } from "../../src/features/computer/dialog-layout.ts";
import { keepForFile } from "../outside/keep-for-file.ts";
import { openDownloadSite } from "./download-site.ts";
import { FileClient, FileSession } from "./machine-file-session.ts";
import { decodePicture } from "./png.ts";
import { SharedService } from "./shared-service.ts";

const VIEWPORT = { width: 1024, height: 768 };
const BUTTON_COLOR = "#0b57d0";

const NAMES = '[...files.files].map(({ name, size }) => name + " " + size)';

const pointSchema = z.object({ x: z.number(), y: z.number() });

let session: FileSession;
let client: FileClient;

const service = await SharedService.use();
const site = keepForFile(await openDownloadSite(new Uint8Array()));
beforeEach(async () => {
  session = await FileSession.open(service, { viewport: VIEWPORT });
  await session.write("/home/kernel/x.pdf", "of the session's machine");
  client = await FileClient.open(session, `${site.origin}/`);
  await client.evaluate("files.onclick = files.oncancel = ({ type }) => events.push(type)");
  return async () => {
    client[Symbol.dispose]();
    await session[Symbol.asyncDispose]();
  };
});

async function clickInput(): Promise<void> {
  const { x, y } = pointSchema.parse(await client.evaluate("files.getBoundingClientRect().toJSON()"));
  const at = { x: Math.round(x + 20), y: Math.round(y + 20) };
  await session.kernel.browsers.computer.clickMouse(session.id, at);
}

function type(text: string): Promise<void> {
  return session.kernel.browsers.computer.typeText(session.id, { text });
}

function press(...keys: string[]): Promise<void> {
  return session.kernel.browsers.computer.pressKey(session.id, { keys });
}

/** @returns whether a screenshot shows the dialog's accept button. */
async function isDialogShown(): Promise<boolean> {
  const response = await session.kernel.browsers.computer.captureScreenshot(session.id);
  const { x, y, width } = layOutDialog(VIEWPORT.width, "file").accept;
  const picture = decodePicture(Buffer.from(await response.arrayBuffer()));
  return picture.pixel(x + width / 2, y + 4) === BUTTON_COLOR;
}

const events = () => client.evaluate("events.splice(0).join()");

describe("file dialog by mouse and keyboard", () => {
  test("sets a file by a typed path", async () => {
    await clickInput();
    expect(await isDialogShown()).toBe(true);
    await type("/home/kernel/x.pdf");
    await press("Return");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
    expect(await events()).toBe("click,input,change");
    expect(await isDialogShown()).toBe(false);
  });

  test("sets several files by quoted names and paths", async () => {
    await session.write("/tmp/日本.txt", "y");
    await clickInput();
    await type('"x.pdf" "/tmp/日本.txt"\n');
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24", "日本.txt 1"]);
  });

  test("stays open for a wrong path, and closes on Escape", async () => {
    await clickInput();
    await type("/home/kernel/y.pdf\n");
    expect(await isDialogShown()).toBe(true);
    expect(await client.evaluate(NAMES)).toEqual([]);
    await type("/home/kernel/x.pdf\n");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
    await clickInput();
    await press("Escape");
    expect(await isDialogShown()).toBe(false);
    expect(await events()).toBe("click,input,change,click,cancel");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
  });

  test("closes when a client sets files or the page navigates", async () => {
    await clickInput();
    const input = await client.find("#files");
    await client.send("DOM.setFileInputFiles", { files: ["/home/kernel/x.pdf"], objectId: input });
    expect(await isDialogShown()).toBe(false);
    expect(await events()).toBe("click,input,change");
    await clickInput();
    expect(await isDialogShown()).toBe(true);
    await client.goto(`${site.origin}/?again`);
    expect(await isDialogShown()).toBe(false);
  });

  test("does not open for a chooser that a client intercepts", async () => {
    // Berth intercepts choosers from the first computer command on.
    expect(await isDialogShown()).toBe(false);
    await client.send("Page.setInterceptFileChooserDialog", { enabled: true });
    const opened = new Promise<void>((resolve) => {
      client.client.socket.on("message", (data) => {
        if (data.toString().includes("Page.fileChooserOpened")) resolve();
      });
    });
    await client.click("#files");
    await opened;
    expect(await isDialogShown()).toBe(false);
  });
});
