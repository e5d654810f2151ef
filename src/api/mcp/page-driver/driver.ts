import type { Browser, BrowserContext, Dialog, Locator, Page, Request } from "@cloudflare/playwright";
import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";
import type { HungTab } from "../../../lib/common/hung-tabs.ts";
import type { PageCall, PageOutput, PageToolInputs, PageToolName } from "../page-schemas.ts";
import { EntryLog, toLine } from "./entry-log.ts";
import { becomeQuiet, type Reaction, reacting, SETTLE_TIMEOUT_MS, settle } from "./settle.ts";

const ACTION_TIMEOUT_MS = 5000;
const NAVIGATION_TIMEOUT_MS = 30_000;
const SNAPSHOT_TIMEOUT_MS = 10_000;
const TITLE_TIMEOUT_MS = 2000;
const ERROR_PAGE_TIMEOUT_MS = 1000;

/** No call takes longer than this, whatever its page does. The longest wait is a minute. */
const CALL_TIMEOUT_MS = 90_000;

/** Models refuse larger images. */
const MAX_IMAGE_BYTES = 3_500_000;

const STATIC_TYPES = ["image", "font", "stylesheet", "script", "media"];

const LEVELS = ["error", "warning", "info", "debug"];

type Handlers = { [N in PageToolName]: (input: PageToolInputs[N], page: Page) => Promise<PageOutput> };

/** An accessibility snapshot as Playwright MCP shows it, which the types lack. */
interface SnapshotPage {
  _snapshotForAI(options: { timeout: number }): Promise<{ full: string }>;
}

/** Drives the pages of a browser with Playwright, as Playwright MCP does. */
export class PageDriver {
  readonly #browser: Browser;
  /** Listed after the pages. */
  #hung: HungTab[];
  readonly #context: BrowserContext;
  /** Navigations of tabs that the site has not answered yet. */
  readonly #loading = new Map<Page, Request>();
  readonly #console = new EntryLog();
  readonly #network = new EntryLog();
  readonly #handlers: Handlers = this.#newHandlers();
  #current: Page | undefined;
  #tab: string | undefined;
  #hasSnapshot = false;
  /** Each page can have one. */
  readonly #dialogs = new Map<Page | null, Dialog>();
  #onDialog: () => void = () => undefined;

  /** @param hung tabs besides the browser's pages. @param tab the current one of the connection before. */
  constructor(browser: Browser, hung: HungTab[], tab: string | undefined) {
    this.#browser = browser;
    this.#hung = hung;
    this.#tab = tab;
    const [context] = browser.contexts();
    if (context === undefined) throw new Error("The browser has no context");
    this.#context = context;
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    context.setDefaultNavigationTimeout(NAVIGATION_TIMEOUT_MS);
    context.on("console", (message) => {
      const { url, lineNumber } = message.location();
      const type = message.type() === "assert" ? "error" : message.type();
      const level = LEVELS.includes(type) ? type : "info";
      this.#console.add(`[${type.toUpperCase()}] ${message.text()} @ ${url}:${lineNumber}`, level);
    });
    context.on("weberror", (error) => this.#console.add(`[ERROR] ${error.error().message}`, "error"));
    context.on("request", (request) => {
      if (navigatesTab(request)) this.#loading.set(request.frame().page(), request);
    });
    context.on("response", (response) => {
      this.#endLoading(response.request());
      const isStatic = response.ok() && STATIC_TYPES.includes(response.request().resourceType());
      this.#addRequest(response.request(), `${response.status()} ${response.statusText()}`, isStatic);
    });
    context.on("requestfailed", (request) => {
      this.#endLoading(request);
      this.#addRequest(request, `${request.failure()?.errorText}`);
    });
    context.on("dialog", (dialog) => {
      // It would prevent navigation away from the page.
      if (dialog.type() === "beforeunload") return void dialog.accept().catch(() => undefined);
      this.#dialogs.set(dialog.page(), dialog);
      this.#onDialog();
    });
  }

  /** The id of the current tab. */
  get tab(): string | undefined {
    return this.#tab;
  }

  async call({ tool, input }: PageCall): Promise<PageOutput> {
    if (this.#dialog !== undefined && !["browser_handle_dialog", "browser_tabs"].includes(tool)) {
      throw new Error(this.#describeDialog());
    }
    const output = await resolveWithin(this.#run(tool, input), CALL_TIMEOUT_MS);
    if (output === undefined) throw new Error(`${tool} took too long; the page may be stuck`);
    return output;
  }

  /** The oldest open dialog. */
  get #dialog(): Dialog | undefined {
    for (const page of this.#dialogs.keys()) if (page?.isClosed()) this.#dialogs.delete(page);
    return this.#dialogs.values().next().value;
  }

  async #run<N extends PageToolName>(tool: N, input: PageToolInputs[N]): Promise<PageOutput> {
    return this.#handlers[tool](input, await this.#page());
  }

  #newHandlers(): Handlers {
    return {
      browser_navigate: ({ url }, page) => this.#act(() => open(page, url), becomeQuiet),
      browser_navigate_back: (_, page) =>
        this.#act(() => page.goBack({ waitUntil: "domcontentloaded" }), becomeQuiet),
      browser_snapshot: async (_, page) => {
        const answer = this.#loading.get(page)?.response();
        await resolveWithin(Promise.resolve(answer), SETTLE_TIMEOUT_MS).catch(() => undefined);
        return this.#report();
      },
      browser_click: ({ ref, doubleClick, button, modifiers }) =>
        this.#actOn(ref, (element) =>
          element.click({ button, modifiers, clickCount: doubleClick ? 2 : 1, noWaitAfter: true }),
        ),
      browser_hover: ({ ref }) => this.#actOn(ref, (element) => element.hover()),
      browser_type: ({ ref, text, submit, slowly }) =>
        this.#actOn(ref, async (element) => {
          const timeout = slowly ? NAVIGATION_TIMEOUT_MS : ACTION_TIMEOUT_MS;
          await (slowly ? element.pressSequentially(text, { timeout }) : element.fill(text));
          if (submit) await element.press("Enter", { noWaitAfter: true });
        }),
      browser_select_option: ({ ref, values }) =>
        this.#actOn(ref, (element) => element.selectOption(values, { noWaitAfter: true })),
      browser_fill_form: async ({ fields }) => {
        const elements = await Promise.all(fields.map(({ ref }) => this.#locate(ref)));
        return this.#act(async () => {
          for (const [index, { type, value }] of fields.entries()) {
            const element = elements[index];
            if (type === "checkbox" || type === "radio") await element?.setChecked(value === "true");
            else if (type === "combobox") await element?.selectOption(value);
            else await element?.fill(value);
          }
        });
      },
      browser_file_upload: ({ ref, paths }, page) =>
        this.#actOn(ref, (element) => this.#chooseFiles(page, element, paths)),
      browser_press_key: ({ key }, page) => this.#act(() => page.keyboard.press(key)),
      browser_mouse_wheel: ({ deltaX, deltaY }, page) => this.#act(() => page.mouse.wheel(deltaX, deltaY)),
      browser_wait_for: ({ time = 0, text, textGone }, page) =>
        this.#act(async () => {
          await pause(time * 1000);
          const timeout = NAVIGATION_TIMEOUT_MS;
          if (textGone) await page.getByText(textGone).first().waitFor({ state: "hidden", timeout });
          if (text) await page.getByText(text).first().waitFor({ state: "visible", timeout });
        }),
      browser_take_screenshot: async ({ type, ref, fullPage }, page) => {
        const element = ref === undefined ? undefined : await this.#locate(ref);
        const bytes = await (element?.screenshot({ type }) ?? page.screenshot({ type, fullPage }));
        if (bytes.byteLength > MAX_IMAGE_BYTES)
          throw new Error("The screenshot is too large: take a jpeg, or a smaller part");
        const image = { data: new Uint8Array(bytes).toBase64(), mimeType: `image/${type}` };
        return { text: await this.#header(), image };
      },
      browser_console_messages: async ({ level, since }) => {
        const levels = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
        return result(this.#console.print(since, (kind) => levels.includes(kind)));
      },
      browser_network_requests: async ({ includeStatic, since }) =>
        result(this.#network.print(since, (kind) => includeStatic === true || kind !== "static")),
      browser_tabs: async ({ action, index, url }, current) => {
        const pages = this.#context.pages();
        const hung = this.#hung[(index ?? -1) - pages.length];
        if (hung !== undefined && (action === "close" || action === "select"))
          return this.#useHung(hung, action);
        const page = index === undefined ? current : pages[index];
        if (page === undefined) throw new Error(`There is no tab ${index}`);
        if (action === "close") await page.close();
        if (action === "new") await this.#select(await this.#context.newPage());
        if (action === "new" && url !== undefined) await open(await this.#page(), url);
        if (action === "select") {
          await page.bringToFront();
          await this.#select(page);
        }
        return { text: await this.#header(true) };
      },
      browser_evaluate: async ({ function: code }, page) =>
        result(JSON.stringify(await page.evaluate(`(${code})()`), null, 2) ?? "undefined"),
      browser_handle_dialog: ({ accept, promptText }) => {
        const dialog = this.#dialog;
        if (dialog === undefined) throw new Error("No dialog is open");
        this.#dialogs.delete(dialog.page());
        return this.#act(() => (accept ? dialog.accept(promptText) : dialog.dismiss()));
      },
    };
  }

  /** Playwright would read the files where it runs. */
  async #chooseFiles(page: Page, element: Locator, files: string[]): Promise<void> {
    const session = await this.#context.newCDPSession(page);
    try {
      const opened = Promise.withResolvers<number | undefined>();
      session.on("Page.fileChooserOpened", ({ backendNodeId }) => opened.resolve(backendNodeId));
      await session.send("Page.enable");
      await session.send("Page.setInterceptFileChooserDialog", { enabled: true });
      await element.click();
      const backendNodeId = await resolveWithin(opened.promise, ACTION_TIMEOUT_MS);
      if (backendNodeId === undefined) throw new Error("The element does not ask for files");
      await session.send("DOM.setFileInputFiles", { files, backendNodeId });
    } finally {
      await session.detach();
    }
  }

  async #useHung(tab: HungTab, action: "close" | "select"): Promise<PageOutput> {
    if (action === "select") {
      // It may respond by now, to a new connection.
      await this.#browser.close();
      throw new Error("This tab did not respond. Call browser_tabs to see whether it does now");
    }
    const browser = await this.#browser.newBrowserCDPSession();
    await browser.send("Target.closeTarget", { targetId: tab.id });
    await browser.detach();
    this.#hung = this.#hung.filter(({ id }) => id !== tab.id);
    return { text: await this.#header(true) };
  }

  async #page(): Promise<Page> {
    if (this.#current?.isClosed() === false) return this.#current;
    const pages = this.#context.pages();
    const isOfBefore = this.#current === undefined && this.#tab !== undefined;
    const ids = isOfBefore ? await Promise.all(pages.map((page) => this.#idOf(page))) : [];
    const page = pages[ids.indexOf(this.#tab)] ?? pages.at(-1);
    return this.#select(page ?? (await this.#context.newPage()));
  }

  async #select(page: Page): Promise<Page> {
    this.#current = page;
    this.#tab = await this.#idOf(page);
    return page;
  }

  /** @returns undefined for a page that has just closed. */
  async #idOf(page: Page): Promise<string | undefined> {
    const session = await this.#context.newCDPSession(page).catch(() => undefined);
    const info = await session?.send("Target.getTargetInfo").catch(() => undefined);
    await session?.detach().catch(() => undefined);
    return info?.targetInfo.targetId;
  }

  /** @throws when the last snapshot has no such reference, or its element is gone. */
  async #locate(ref: string): Promise<Locator> {
    const locator = (await this.#page()).locator(`aria-ref=${ref}`);
    // Counting fails when the frame of the reference is gone.
    if ((await locator.count().catch(() => 0)) > 0) return locator;
    const reason = this.#hasSnapshot
      ? `Ref ${ref} is not in the current page`
      : `Ref ${ref} is not of this connection, which has taken no snapshot yet; each MCP session has its own`;
    throw new Error(`${reason}. Call browser_snapshot for new references.`);
  }

  async #actOn(ref: string, action: (element: Locator) => Promise<unknown>): Promise<PageOutput> {
    const locator = await this.#locate(ref);
    return this.#act(() => action(locator));
  }

  /** Acts on the page, waits until it has reacted, and reports its new state. A dialog ends the wait. */
  async #act(action: () => Promise<unknown>, react: Reaction = reacting): Promise<PageOutput> {
    const opened = Promise.withResolvers<void>();
    this.#onDialog = opened.resolve;
    const acted = settle(await this.#page(), action, react);
    // The dialog may fail it later.
    acted.catch(() => undefined);
    await Promise.race([acted, opened.promise]);
    return this.#report();
  }

  async #report(): Promise<PageOutput> {
    const text = await this.#header();
    if (this.#dialog !== undefined) return { text };
    const page = await this.#page();
    // Playwright cannot take one then.
    if (this.#loading.has(page)) return { text };
    if (!hasSnapshots(page)) throw new Error("This version of Playwright takes no snapshots");
    this.#hasSnapshot = true;
    const { full } = await page._snapshotForAI({ timeout: SNAPSHOT_TIMEOUT_MS });
    return { text: `${text}\n### Snapshot\n\`\`\`yaml\n${full}\n\`\`\`` };
  }

  async #header(listsTabs = false): Promise<string> {
    const current = await this.#page();
    const pages = this.#context.pages();
    const readTitle = (page: Page) =>
      resolveWithin(
        page.title().then(toLine, () => ""),
        TITLE_TIMEOUT_MS,
      );
    const titles = await Promise.all(pages.map(readTitle));
    const tabs = pages.map((page, index) => {
      const mark = page === current ? " (current)" : "";
      return `- ${index}:${mark} [${titles[index] ?? ""}] (${toLine(page.url())})`;
    });
    const lines = [
      `### Page\n- Page URL: ${toLine(current.url())}\n- Page Title: ${titles[pages.indexOf(current)] ?? ""}`,
    ];
    const loading = this.#loading.get(current);
    if (loading !== undefined)
      lines.push(`- The page is still loading ${toLine(loading.url())}: call browser_snapshot to see it`);
    for (const { url } of this.#hung) tabs.push(`- ${tabs.length}: (does not respond) (${toLine(url)})`);
    if (listsTabs || tabs.length > 1) lines.unshift("### Open tabs", ...tabs);
    if (this.#dialog !== undefined) lines.push("### Modal state", `- ${this.#describeDialog()}`);
    return lines.join("\n");
  }

  #describeDialog(): string {
    const message = JSON.stringify(this.#dialog?.message() ?? "");
    return `A "${this.#dialog?.type()}" dialog with the message ${message} is open: answer it with browser_handle_dialog`;
  }

  #endLoading(request: Request): void {
    for (const [page, loading] of this.#loading) if (loading === request) this.#loading.delete(page);
  }

  #addRequest(request: Request, outcome: string, isStatic = false): void {
    const line = `[${request.method()}] ${request.url()} => [${outcome.trim()}]`;
    this.#network.add(line, isStatic ? "static" : "");
  }
}

function navigatesTab(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    // The page has not started loading yet.
    return false;
  }
}

function hasSnapshots(page: Page): page is Page & SnapshotPage {
  return "_snapshotForAI" in page;
}

function result(text: string): PageOutput {
  return { text: `### Result\n${text}` };
}

async function open(page: Page, address: string): Promise<void> {
  const url = URL.canParse(address) ? address : `https://${address}`;
  try {
    await page.goto(url, { waitUntil: "domcontentloaded" });
  } catch (error) {
    // Chrome opens its error page after the failure, which would interrupt what follows.
    const opened = page.waitForURL(/^chrome-error:/, { waitUntil: "commit", timeout: ERROR_PAGE_TIMEOUT_MS });
    await opened.catch(() => undefined);
    throw error;
  }
}
