import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { layOutDialog } from "../../src/computer/dialog-layout.ts";
import { DownloadSite } from "./download-site.ts";
import { FileClient, FileSession } from "./machine-files-of-session.ts";
import { decodePicture } from "./png.ts";
import { SharedService } from "./shared-service.ts";

const VIEWPORT = { width: 1024, height: 768 };
const BUTTON_COLOR = "#0b57d0";

const NAMES = '[...files.files].map(({ name, size }) => name + " " + size)';

const placeSchema = z.object({ x: z.number(), y: z.number() });

let service: SharedService;
let site: DownloadSite;
let session: FileSession;
let client: FileClient;

beforeAll(async () => {
  [service, site] = await Promise.all([SharedService.use(), DownloadSite.open(new Uint8Array())]);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.end();
});
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
  const { x, y } = placeSchema.parse(await client.evaluate("files.getBoundingClientRect().toJSON()"));
  const at = { x: Math.round(x + 20), y: Math.round(y + 20) };
  await session.kernel.browsers.computer.clickMouse(session.id, at);
}

function type(text: string): Promise<void> {
  return session.kernel.browsers.computer.typeText(session.id, { text });
}

function press(...keys: string[]): Promise<void> {
  return session.kernel.browsers.computer.pressKey(session.id, { keys });
}

/** Whether a screenshot shows the dialog's button to open the file. */
async function showsDialog(): Promise<boolean> {
  const response = await session.kernel.browsers.computer.captureScreenshot(session.id);
  const { x, y, width } = layOutDialog(VIEWPORT.width, "file").accept;
  const picture = decodePicture(Buffer.from(await response.arrayBuffer()));
  return picture.pixel(x + width / 2, y + 4) === BUTTON_COLOR;
}

const events = () => client.evaluate("events.splice(0).join()");

describe("mouse and keyboard", () => {
  test("give a file by its path, which is typed into what a click opens", async () => {
    await clickInput();
    expect(await showsDialog()).toBe(true);
    await type("/home/kernel/x.pdf");
    await press("Return");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
    expect(await events()).toBe("click,input,change");
    expect(await showsDialog()).toBe(false);
  });

  test("give several files, by names and paths in quotes", async () => {
    await session.write("/tmp/日本.txt", "y");
    await clickInput();
    await type('"x.pdf" "/tmp/日本.txt"\n');
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24", "日本.txt 1"]);
  });

  test("may mistype a path, and dismiss what a click has opened", async () => {
    await clickInput();
    await type("/home/kernel/y.pdf\n");
    expect(await showsDialog()).toBe(true);
    expect(await client.evaluate(NAMES)).toEqual([]);
    await type("/home/kernel/x.pdf\n");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
    await clickInput();
    await press("Escape");
    expect(await showsDialog()).toBe(false);
    expect(await events()).toBe("click,input,change,click,cancel");
    expect(await client.evaluate(NAMES)).toEqual(["x.pdf 24"]);
  });

  test("find nothing to answer where a client has chosen, or the page was left", async () => {
    await clickInput();
    const input = await client.find("#files");
    await client.send("DOM.setFileInputFiles", { files: ["/home/kernel/x.pdf"], objectId: input });
    expect(await showsDialog()).toBe(false);
    expect(await events()).toBe("click,input,change");
    await clickInput();
    expect(await showsDialog()).toBe(true);
    await client.goto(`${site.origin}/?again`);
    expect(await showsDialog()).toBe(false);
  });

  test("leave to a client what its own clicks open", async () => {
    // From now on the session's choosers are taken, if they are Berth's.
    expect(await showsDialog()).toBe(false);
    await client.send("Page.setInterceptFileChooserDialog", { enabled: true });
    const opened = new Promise<void>((resolve) => {
      client.client.socket.on("message", (data) => {
        if (data.toString().includes("Page.fileChooserOpened")) resolve();
      });
    });
    await client.click("#files");
    await opened;
    expect(await showsDialog()).toBe(false);
  });
});
