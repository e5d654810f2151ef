import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { prepareBrowser } from "../../scripts/local/browser.ts";

/** Ten browsers may share two slow processors. */
const TIMEOUT_MS = 60_000;

/** Distinct enough to survive lossy compression. */
export type Color = "red" | "green" | "blue" | "white" | "other";

export interface Point {
  x: number;
  y: number;
}

/** Starts a browser for viewers, the same as the service uses. */
export async function launchViewers(): Promise<Browser> {
  return chromium.launch({ executablePath: await prepareBrowser(new AbortController().signal) });
}

export interface ViewerOptions extends BrowserContextOptions {
  /** Called before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>;
}

export class LiveViewPage {
  readonly page: Page;
  readonly canvas: Locator;
  readonly status: Locator;
  readonly tabs: Locator;
  readonly address: Locator;
  readonly dialog: Locator;
  readonly notice: Locator;
  readonly toast: Locator;
  /** Console errors, warnings and uncaught exceptions. */
  readonly problems: string[] = [];
  /** URLs of all requests and WebSockets. */
  readonly requested: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    this.canvas = page.locator("#page");
    this.status = page.getByRole("status");
    this.tabs = page.getByRole("navigation", { name: "Tabs of the remote browser" }).locator("li.tab");
    this.address = page.getByRole("textbox", { name: "Address" });
    this.dialog = page.getByRole("alertdialog");
    this.notice = page.locator("#notice");
    this.toast = page.locator("#toasts");
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("request", (request) => this.requested.push(request.url()));
    page.on("websocket", (socket) => this.requested.push(socket.url()));
  }

  /** Opens a live view without waiting for a picture. */
  static async visit(browser: Browser, url: string, options: ViewerOptions = {}): Promise<LiveViewPage> {
    const { prepare, ...contextOptions } = options;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const view = new LiveViewPage(page);
    await prepare?.(page);
    await page.goto(url);
    return view;
  }

  /** Opens a live view and waits for its first picture. */
  static async open(
    browser: Browser,
    url: string | null | undefined,
    options: ViewerOptions = {},
  ): Promise<LiveViewPage> {
    if (typeof url !== "string") throw new Error("The session has no live view");
    const view = await LiveViewPage.visit(browser, url, options);
    await view.waitForPicture();
    return view;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  async waitForPicture(): Promise<void> {
    await this.page.locator("body.is-welcome").waitFor();
    await this.page.waitForFunction(() => {
      const canvas = document.querySelector("canvas");
      return canvas !== null && canvas.width > 1 && document.getElementById("notice")?.hidden === true;
    });
  }

  /** Approximate color of the picture at a point, given as shares of its width and height. */
  async color({ x, y }: Point = { x: 0.5, y: 0.5 }): Promise<Color> {
    const [red = 0, green = 0, blue = 0] = await this.canvas.evaluate(
      (canvas, [x, y]) => {
        // Copies one pixel, because reading the canvas itself would disable its GPU acceleration.
        const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        if (!(canvas instanceof HTMLCanvasElement) || context === null) return [];
        context.drawImage(canvas, -Math.floor(canvas.width * x), -Math.floor(canvas.height * y));
        return [...context.getImageData(0, 0, 1, 1).data];
      },
      [x, y] as const,
    );
    const [r, g, b] = [red, green, blue].map((part) => part > 110);
    if (r && g && b) return "white";
    if (r && !g && !b) return "red";
    if (!r && g && !b) return "green";
    if (!r && !g && b) return "blue";
    return "other";
  }

  pictureSize(): Promise<{ width: number; height: number }> {
    return this.canvas.evaluate((canvas) =>
      canvas instanceof HTMLCanvasElement
        ? { width: canvas.width, height: canvas.height }
        : { width: 0, height: 0 },
    );
  }

  /** Converts a point of the remote page to the viewer's window. @param size of the remote page. */
  async windowPoint({ x, y }: Point, size: { width: number; height: number }): Promise<Point> {
    const box = await this.canvas.boundingBox();
    if (box === null) throw new Error("The remote page is not drawn");
    return { x: box.x + (x / size.width) * box.width, y: box.y + (y / size.height) * box.height };
  }

  tab(title: string): Locator {
    return this.tabs.filter({ has: this.page.getByRole("button", { name: title, exact: true }) });
  }

  activeTitle(): Promise<string | null> {
    return this.page.locator("li.tab.is-active .tab-title").textContent();
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  async goTo(address: string): Promise<void> {
    await this.address.fill(address);
    await this.address.press("Enter");
  }
}
