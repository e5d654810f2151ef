import { beforeAll, expect, test } from "vitest";
import { type Pages, recordingPage } from "../conformance/computer-pages.ts";
import {
  type ComputerSession,
  openComputer,
  type PageView,
  VIEWPORT,
} from "../conformance/computer-session.ts";

const box = (place: string, color: string) =>
  `<div class="at" style="${place}; width: 20px; height: 10px; background: ${color}"></div>`;

const PAGES = {
  "/pad": recordingPage(""),
  "/boxes": recordingPage(
    `<style>html { background: #ffffff }</style>
     ${box("left: 0; top: 0", "#ff0000")} ${box("right: 0; top: 0", "#00ff00")}
     ${box("left: 0; top: 758px", "#0000ff")} ${box("left: 333px; top: 222px", "#123456")}`,
  ),
  "/text": recordingPage('<textarea id="text" autofocus></textarea>'),
  "/form": recordingPage(
    `<form onsubmit="event.preventDefault(); sent = first.value + '|' + second.value">
       <input id="first" autofocus><input id="second"><button>Send</button>
     </form>
     <script>let sent</script>`,
  ),
};

let site: Pages;
let session: ComputerSession;
let page: PageView;

beforeAll(async () => {
  const computer = await openComputer(PAGES);
  ({ site, session, page } = computer);
  return () => computer[Symbol.asyncDispose]();
});

async function open(path: keyof typeof PAGES): Promise<void> {
  await page.open(site.origin + path);
  await session.move(1000, 700);
  await page.waitForTrue("events.length > 0");
  await page.takeEvents();
}

test.each([
  ["left", ["mousedown left 1", "mouseup left 1", "click left 1"]],
  ["right", ["mousedown right 1", "contextmenu right 0", "mouseup right 1", "auxclick right 1"]],
  ["middle", ["mousedown middle 1", "mouseup middle 1", "auxclick middle 1"]],
] as const)("clicks the %s button", async (button, events) => {
  await open("/pad");
  await session.click(200, 120, { button });
  expect(await page.takeEvents()).toEqual(["mousemove 200,120 0", ...events]);
  // A context menu that stayed open would receive the next click.
  await session.click(200, 120);
  expect((await page.takeEvents()).slice(1)).toEqual(["mousedown left 1", "mouseup left 1", "click left 1"]);
});

test("a typed tab moves to the next field, and a newline submits the form", async () => {
  await open("/form");
  await session.type("Ada\tLovelace\n");
  expect(await page.evaluate("sent")).toBe("Ada|Lovelace");
});

test("editing keys change the typed text", async () => {
  await open("/text");
  await session.type("helo");
  await session.press("Left", "l", "End", "!", "BackSpace", "Home", "Delete", "H");
  expect(await page.evaluate("text.value")).toBe("Hello");
});

test("a screenshot can be limited to a region", async () => {
  await open("/boxes");
  const picture = await session.screenshot({ x: 330, y: 220, width: 25, height: 14 });
  expect([picture.width, picture.height]).toEqual([25, 14]);
  const dark = [];
  for (let y = 0; y < 14; y += 1) {
    for (let x = 0; x < 25; x += 1) if (picture.pixel(x, y) === "#123456") dark.push([x, y]);
  }
  expect(dark).toHaveLength(20 * 10);
  expect([dark.at(0), dark.at(-1)]).toEqual([
    [3, 2],
    [22, 11],
  ]);
  const pixel = await session.screenshot({ x: 1023, y: 0, width: 1, height: 1 });
  expect([pixel.width, pixel.height, pixel.pixel(0, 0)]).toEqual([1, 1, "#00ff00"]);
  const whole = await session.screenshot({ x: 0, y: 0, ...VIEWPORT });
  expect([whole.width, whole.height, whole.pixel(340, 225)]).toEqual([1024, 768, "#123456"]);
});

test("the clipboard is shared with the page", async () => {
  await open("/text");
  await session.type("copied ünï");
  await session.press("Ctrl+a", "Ctrl+c");
  expect(await session.readClipboard()).toBe("copied ünï");
  await session.writeClipboard("pasted 😀");
  await session.press("Ctrl+v");
  expect(await page.evaluate("text.value")).toBe("pasted 😀");
});
