import type Kernel from "@onkernel/sdk";
import type { BrowserCreateParams } from "@onkernel/sdk/resources/browsers/browsers";
import type {
  ComputerBatchParams,
  ComputerCaptureScreenshotParams,
  ComputerClickMouseParams,
  ComputerDragMouseParams,
  ComputerMoveMouseParams,
  ComputerPressKeyParams,
  ComputerScrollParams,
} from "@onkernel/sdk/resources/browsers/computer";
import { expect, vi } from "vitest";
import { z } from "zod";
import { type PageSource, type Pages, servePages } from "./computer-pages.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { eventually } from "./eventually.ts";
import { decodePicture, type Picture } from "./png.ts";
import type { ServiceClient } from "./service-client.ts";
import { SharedService } from "./shared-service.ts";

export const VIEWPORT = { width: 1024, height: 768 };

const LOAD_TIMEOUT_MS = 30_000;

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const evaluatedSchema = z.object({ result: z.object({ value: z.unknown().optional() }) });

type Rest<Params> = Omit<Params, "x" | "y">;

/**
 * A session whose computer is driven through the SDK and whose pages are read over a bare DevTools
 * connection. Playwright would emulate focus and make hidden pages visible.
 */
export class ComputerSession implements AsyncDisposable {
  readonly id: string;
  readonly address: string;
  readonly client: DevToolsClient;
  readonly #kernel: Kernel;

  private constructor(kernel: Kernel, session: { id: string; address: string }, client: DevToolsClient) {
    this.#kernel = kernel;
    this.id = session.id;
    this.address = session.address;
    this.client = client;
  }

  static async open(service: ServiceClient, options: BrowserCreateParams = {}): Promise<ComputerSession> {
    const kernel = service.kernel();
    const created = await kernel.browsers.create({ viewport: VIEWPORT, timeout_seconds: 600, ...options });
    const session = { id: created.session_id, address: created.cdp_ws_url };
    return new ComputerSession(kernel, session, await DevToolsClient.connect(session.address));
  }

  /** Waits for the page with a URL, or for any page. */
  async page(url?: string): Promise<PageView> {
    const targetId = await vi.waitUntil(
      async () => (await this.client.pages()).find((page) => url === undefined || page.url === url)?.targetId,
      { timeout: LOAD_TIMEOUT_MS },
    );
    return new PageView(this.client, targetId, await this.client.attach(targetId));
  }

  /** Opens a foreground tab. */
  async newPage(url: string): Promise<PageView> {
    const created = await this.client.send("Target.createTarget", { url: "about:blank" });
    const { targetId } = z.object({ targetId: z.string() }).parse(created);
    const page = new PageView(this.client, targetId, await this.client.attach(targetId));
    await page.goto(url);
    return page;
  }

  async closeOtherTabs({ targetId: kept }: PageView): Promise<void> {
    const others = (await this.client.pages()).filter(({ targetId }) => targetId !== kept);
    for (const { targetId } of others) await this.client.send("Target.closeTarget", { targetId });
    await eventually(async () => expect(await this.client.pages()).toHaveLength(1));
  }

  /** URLs of the tabs, sorted. */
  async urls(): Promise<string[]> {
    return (await this.client.pages()).map(({ url }) => url).sort();
  }

  click(x: number, y: number, rest: Rest<ComputerClickMouseParams> = {}): Promise<void> {
    return this.#computer.clickMouse(this.id, { x, y, ...rest });
  }

  move(x: number, y: number, rest: Rest<ComputerMoveMouseParams> = {}): Promise<void> {
    return this.#computer.moveMouse(this.id, { x, y, ...rest });
  }

  drag(path: number[][], rest: Omit<ComputerDragMouseParams, "path"> = {}): Promise<void> {
    return this.#computer.dragMouse(this.id, { path, ...rest });
  }

  scroll(x: number, y: number, rest: Rest<ComputerScrollParams>): Promise<void> {
    return this.#computer.scroll(this.id, { x, y, ...rest });
  }

  type(text: string, delay?: number): Promise<void> {
    return this.#computer.typeText(this.id, { text, delay });
  }

  press(...keys: string[]): Promise<void> {
    return this.#computer.pressKey(this.id, { keys });
  }

  pressKey(params: ComputerPressKeyParams): Promise<void> {
    return this.#computer.pressKey(this.id, params);
  }

  batch(...actions: ComputerBatchParams.Action[]): Promise<void> {
    return this.#computer.batch(this.id, { actions });
  }

  async mousePosition(): Promise<[x: number, y: number]> {
    const { x, y } = await this.#computer.getMousePosition(this.id);
    return [x, y];
  }

  setCursor(hidden: boolean): Promise<{ ok: boolean }> {
    return this.#computer.setCursorVisibility(this.id, { hidden });
  }

  async readClipboard(): Promise<string> {
    return (await this.#computer.readClipboard(this.id)).text;
  }

  writeClipboard(text: string): Promise<void> {
    return this.#computer.writeClipboard(this.id, { text });
  }

  async screenshot(region?: ComputerCaptureScreenshotParams.Region): Promise<Picture> {
    const response = await this.#computer.captureScreenshot(this.id, region && { region });
    expect(response.headers.get("content-type")).toBe("image/png");
    return decodePicture(Buffer.from(await response.arrayBuffer()));
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#kernel.browsers.update(this.id, { viewport: { width, height } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.#kernel.browsers.deleteByID(this.id);
  }

  get #computer() {
    return this.#kernel.browsers.computer;
  }
}

/** What tests of the computer API work with. */
export interface Computer extends AsyncDisposable {
  service: SharedService;
  site: Pages;
  session: ComputerSession;
  page: PageView;
}

export async function openComputer(pages: Readonly<Record<string, PageSource>>): Promise<Computer> {
  const [service, site] = await Promise.all([SharedService.open(), servePages(pages)]);
  const session = await ComputerSession.open(service);
  return {
    ...{ service, site, session, page: await session.page() },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await service.end();
    },
  };
}

export class PageView {
  readonly targetId: string;
  readonly #client: DevToolsClient;
  readonly #sessionId: string;

  constructor(client: DevToolsClient, targetId: string, sessionId: string) {
    this.#client = client;
    this.targetId = targetId;
    this.#sessionId = sessionId;
  }

  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.#client.send(method, params, this.#sessionId);
  }

  /** @returns undefined also when the expression throws. */
  async evaluate(expression: string): Promise<unknown> {
    const evaluated = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    return evaluatedSchema.parse(evaluated).result.value;
  }

  /** Loads a page, even if it is the current one. */
  async goto(url: string): Promise<void> {
    await this.evaluate("globalThis.isOld = true");
    await this.send("Page.navigate", { url });
    await this.waitForTrue(
      `globalThis.isOld === undefined && document.readyState === "complete" && location.href === "${url}"`,
    );
  }

  /** Loads a page and waits until it has the focus. */
  async open(url: string): Promise<void> {
    await this.goto(url);
    await this.waitForTrue(
      "document.activeElement === (document.querySelector('[autofocus]') ?? document.body)",
    );
  }

  /** Waits for the tab's page to load: a new tab first shows an empty one. */
  async waitForLoad(): Promise<void> {
    await this.waitForTrue(`document.readyState === "complete" && location.protocol === "http:"`);
  }

  async waitForTrue(expression: string): Promise<void> {
    await vi.waitFor(async () => expect(await this.evaluate(expression), expression).toBe(true), {
      timeout: LOAD_TIMEOUT_MS,
    });
  }

  /** Returns a recording page's events of some kinds, or all, and clears its record. */
  async takeEvents(...kinds: string[]): Promise<string[]> {
    const events = z.array(z.string()).parse(await this.evaluate("times.splice(0), events.splice(0)"));
    return kinds.length === 0 ? events : events.filter((event) => kinds.includes(event.split(" ")[0] ?? ""));
  }

  async centerOf(selector: string): Promise<[x: number, y: number]> {
    const box = await this.evaluate(
      `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`,
    );
    const { x, y, width, height } = boxSchema.parse(box);
    return [Math.round(x + width / 2), Math.round(y + height / 2)];
  }
}
