import type Kernel from "@onkernel/sdk";
import { z } from "zod";
import { withComparedBrowsers } from "../compared-browsers.ts";
import type { DevToolsClient } from "../devtools-client.ts";
import { FIELD, ORDINARY_PAGE } from "../pages.ts";
import { timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const VIEWPORT = { width: 1920, height: 1080 };
const BASELINE = "bare commands to Chrome";
const TARGET = "15 ms";

/** 100 characters that need no Shift on a US keyboard. */
const TEXT = "the quick brown fox jumps over the lazy dog ".repeat(3).slice(0, 100);

const pictureSchema = z.object({ data: z.string() });

/** Input and screenshots with the SDK, compared with equivalent DevTools commands. */
export function measureComputer(kernel: Kernel, chromeURL: string): Promise<Row[]> {
  return withComparedBrowsers({ kernel, chromeURL, viewport: VIEWPORT }, async (browsers) => {
    const { session, driver, chrome } = browsers;
    for (const client of [driver, chrome]) await client.show(ORDINARY_PAGE);
    // The session has no other client during the measurement.
    driver.close();

    const id = session.session_id;
    const { computer } = kernel.browsers;
    const bare = new BareInput(chrome);
    const positions = { berth: new Positions(), direct: new Positions() };
    const move = await timePair(300, {
      berth: () => computer.moveMouse(id, positions.berth.next()),
      direct: () => bare.move(positions.direct.next()),
    });
    const click = await timePair(300, {
      berth: () => computer.clickMouse(id, positions.berth.next()),
      direct: () => bare.click(positions.direct.next()),
    });
    await Promise.all([computer.clickMouse(id, FIELD), bare.click(FIELD)]);
    const press = await timePair(300, {
      berth: () => computer.pressKey(id, { keys: ["a"] }),
      direct: () => bare.press("a"),
    });
    const type = await timePair(50, {
      berth: () => computer.typeText(id, { text: TEXT }),
      direct: () => bare.type(TEXT),
    });
    const capture = await timePair(40, {
      berth: async () => (await computer.captureScreenshot(id)).arrayBuffer(),
      direct: () => bare.capture(),
    });
    return [
      { figure: "move the mouse", baseline: BASELINE, target: TARGET, ...move },
      { figure: "click", baseline: BASELINE, target: TARGET, ...click },
      { figure: "press a key", baseline: BASELINE, target: TARGET, ...press },
      { figure: `type ${TEXT.length} characters`, baseline: BASELINE, ...type },
      { figure: `screenshot, ${VIEWPORT.width}x${VIEWPORT.height}`, baseline: BASELINE, ...capture },
    ];
  });
}

/** Returns different positions, so that the element under the mouse changes. */
class Positions {
  #count = 0;

  next(): { x: number; y: number } {
    this.#count += 1;
    return { x: 100 + ((this.#count * 137) % 1700), y: 150 + ((this.#count * 89) % 800) };
  }
}

/** Sends the DevTools commands of an input concurrently, then waits for all responses. */
class BareInput {
  readonly #chrome: DevToolsClient;

  constructor(chrome: DevToolsClient) {
    this.#chrome = chrome;
  }

  async move({ x, y }: { x: number; y: number }): Promise<void> {
    await this.#mouse("mouseMoved", { x, y });
  }

  async click({ x, y }: { x: number; y: number }): Promise<void> {
    const button = { button: "left", clickCount: 1 };
    await Promise.all([
      this.#mouse("mouseMoved", { x, y }),
      this.#mouse("mousePressed", { x, y, buttons: 1, ...button }),
      this.#mouse("mouseReleased", { x, y, buttons: 0, ...button }),
    ]);
  }

  async press(character: string): Promise<void> {
    await Promise.all(this.#tap(character));
  }

  async type(text: string): Promise<void> {
    await Promise.all([...text].flatMap((character) => this.#tap(character)));
  }

  async capture(): Promise<Buffer> {
    const picture = await this.#chrome.sendToPage("Page.captureScreenshot", { format: "png" });
    return Buffer.from(pictureSchema.parse(picture).data, "base64");
  }

  #mouse(type: string, params: object): Promise<unknown> {
    return this.#chrome.sendToPage("Input.dispatchMouseEvent", { type, ...params });
  }

  #tap(character: string): Promise<unknown>[] {
    const upper = character.toUpperCase();
    const key = {
      key: character,
      code: character === " " ? "Space" : `Key${upper}`,
      windowsVirtualKeyCode: upper.charCodeAt(0),
    };
    const text = { text: character, unmodifiedText: character };
    return [
      this.#chrome.sendToPage("Input.dispatchKeyEvent", { type: "keyDown", ...key, ...text }),
      this.#chrome.sendToPage("Input.dispatchKeyEvent", { type: "keyUp", ...key }),
    ];
  }
}
