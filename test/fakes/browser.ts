import { z } from "zod";

const commandSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  sessionId: z.string().optional(),
});

export type Command = z.infer<typeof commandSchema>;

export interface FakeDialog {
  type: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  defaultPrompt?: string;
}

interface Page {
  id: string;
  url: string;
  /** Has no tab. */
  hidden: boolean;
  dialog: FakeDialog | undefined;
  /** Delayed until the dialog closes. */
  delayedReplies: (() => void)[];
}

interface Connection {
  socket: WebSocket;
  /** Set for the socket of a single page. */
  pageId: string | undefined;
  /** Page ids by session id; undefined for a session of the browser. */
  sessions: Map<string, string | undefined>;
  autoAttachTypes: string[];
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMETERS = -32602;
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;
const SESSION_NOT_FOUND = -32001;

const ONE_PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What a page has encoded since the last call: one picture of four bytes. */
const VIDEO = {
  codec: "avc1.42e01e",
  description: "AAAA",
  samples: [{ time: 0, size: 4, isKey: true }],
  data: "AQIDBA==",
};

const VERSION = { product: "HeadlessChrome/150.0.0.0", userAgent: "Mozilla/5.0 HeadlessChrome/150.0.0.0" };

const CLIENT_HINTS = {
  brands: [{ brand: "HeadlessChrome", version: "150" }],
  fullVersionList: [{ brand: "HeadlessChrome", version: "150.0.0.0" }],
  uaFullVersion: "150.0.0.0",
  platform: "Linux",
  platformVersion: "6",
  architecture: "x86",
  bitness: "64",
  model: "",
  mobile: false,
  wow64: false,
  formFactors: ["Desktop"],
};

/** Methods that pages have and the browser does not. */
const PAGE_METHODS = /^(Page|Runtime|Input|Emulation|DOM)\./;

class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The DevTools side of a fake browser: it opens pages, attaches to them, and rejects commands to missing
 * targets. It runs no scripts and paints nothing, but answers as if it encoded a video. Call methods that
 * send messages inside the object that holds the sockets.
 */
export class FakeBrowser {
  readonly #onCommand: (command: Command) => void;
  readonly #failingMethods: ReadonlySet<string>;
  readonly #silentMethods: ReadonlySet<string>;
  readonly #connections = new Set<Connection>();
  readonly #pages = new Map<string, Page>();
  /** New pages stay empty until {@link show}. */
  isSlow = false;
  readonly flags = new Set(["--disable-extensions"]);
  readonly #extensions: { id: string; path: string; enabled: boolean }[] = [];
  #openedPages = 0;
  #lastId = 0;

  /** The sets of methods are checked on each command. */
  constructor(
    onCommand: (command: Command) => void,
    { failing, silent }: { failing: ReadonlySet<string>; silent: ReadonlySet<string> },
  ) {
    this.#onCommand = onCommand;
    this.#failingMethods = failing;
    this.#silentMethods = silent;
  }

  /** The pages with a tab, newest first. */
  get pages(): { id: string; type: "page"; title: string; url: string }[] {
    return [...this.#pages.values()]
      .filter(({ hidden }) => !hidden)
      .map(({ id, url }) => ({ id, type: "page" as const, title: "t", url }))
      .reverse();
  }

  /** @param socket an accepted socket. */
  connect(socket: WebSocket, pageId: string | undefined): void {
    const connection: Connection = { socket, pageId, sessions: new Map(), autoAttachTypes: [] };
    this.#connections.add(connection);
    socket.addEventListener("close", () => this.#connections.delete(connection));
    socket.addEventListener("message", ({ data }) => {
      const command = commandSchema.parse(JSON.parse(String(data)));
      this.#onCommand(command);
      this.#handle(connection, command);
    });
  }

  disconnect(): void {
    for (const { socket } of this.#connections) socket.close(1011, "the browser crashed");
    this.#connections.clear();
  }

  closePages(): void {
    for (const { id } of this.pages) this.#closePage(this.#requirePage(id));
  }

  /** Loads about:blank in the pages that are still empty. */
  show(): void {
    for (const page of this.#pages.values()) {
      if (page.url !== "") continue;
      page.url = "about:blank";
      const message = { method: "Target.targetInfoChanged", params: { targetInfo: describe(page) } };
      for (const connection of this.#connections) this.#send(connection, message);
    }
  }

  /** Opens a dialog in the newest page, which delays input until the dialog closes. */
  openDialog(dialog: FakeDialog): void {
    const page = this.#newestPage;
    page.dialog = dialog;
    this.#sendToPage(page.id, "Page.javascriptDialogOpening", { url: page.url, ...dialog });
  }

  /** Sends a screencast frame of the newest page. @param data base64 of any bytes. */
  castFrame(data: string, deviceWidth: number, deviceHeight: number): void {
    const metadata = { deviceWidth, deviceHeight };
    this.#sendToPage(this.#newestPage.id, "Page.screencastFrame", { data, metadata, sessionId: 1 });
  }

  get #newestPage(): Page {
    const page = this.#pages.get(this.pages[0]?.id ?? "");
    if (page === undefined) throw new Error("the fake browser has no page");
    return page;
  }

  #handle(connection: Connection, command: Command): void {
    const { id, method, sessionId } = command;
    if (this.#silentMethods.has(method)) return;
    const reply = (content: object) => connection.socket.send(JSON.stringify({ id, ...content, sessionId }));
    try {
      if (this.#failingMethods.has(method)) throw new ProtocolError(SERVER_ERROR, "refused by a test");
      const page = this.#findPage(connection, command);
      if (page?.dialog !== undefined && method.startsWith("Input.")) {
        page.delayedReplies.push(() => reply({ result: {} }));
        return;
      }
      reply({ result: (page && this.#runInPage(page, command)) ?? this.#runInBrowser(connection, command) });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      reply({ error: { code: error.code, message: error.message } });
    }
  }

  /** @returns undefined for a command to the browser. */
  #findPage({ pageId, sessions }: Connection, { method, sessionId }: Command): Page | undefined {
    if (sessionId !== undefined && !sessions.has(sessionId)) {
      throw new ProtocolError(SESSION_NOT_FOUND, "Session with given id not found.");
    }
    const id = sessionId === undefined ? pageId : sessions.get(sessionId);
    const page = id === undefined ? undefined : this.#pages.get(id);
    if (page === undefined && PAGE_METHODS.test(method)) {
      throw new ProtocolError(METHOD_NOT_FOUND, `'${method}' wasn't found`);
    }
    return page;
  }

  /** @returns undefined for methods that pages do not have. */
  #runInPage(page: Page, { method, params }: Command): object | undefined {
    switch (method) {
      case "Page.navigate":
        page.url = String(params.url);
        return { frameId: page.id, loaderId: "L" };
      case "Page.getNavigationHistory":
        return { currentIndex: 0, entries: [{ id: 1, url: page.url, title: "t" }] };
      case "Page.close":
        // The response is sent first.
        queueMicrotask(() => this.#closePage(page));
        return {};
      case "Target.setAutoAttach":
        // Fake pages have no frames or workers.
        return {};
      case "Page.getLayoutMetrics":
        return { cssVisualViewport: { pageX: 30, pageY: 500 } };
      case "Page.captureScreenshot":
        return { data: ONE_PIXEL_PNG };
      case "Page.addScriptToEvaluateOnNewDocument":
        this.#lastId += 1;
        return { identifier: String(this.#lastId) };
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "Page.handleJavaScriptDialog": {
        if (page.dialog === undefined) throw new ProtocolError(INVALID_PARAMETERS, "No dialog is showing");
        page.dialog = undefined;
        this.#sendToPage(page.id, "Page.javascriptDialogClosed", { result: params.accept, userInput: "" });
        for (const reply of page.delayedReplies.splice(0)) reply();
        return {};
      }
      case "Runtime.evaluate":
        return { result: { value: this.#evaluate(page, String(params.expression)) } };
      case "Runtime.callFunctionOn":
        return { result: { value: String(params.functionDeclaration).includes("take") ? VIDEO : undefined } };
      case "Emulation.getScreenInfos":
        return { screenInfos: [{ id: "1" }] };
      default:
        return PAGE_METHODS.test(method) ? {} : undefined;
    }
  }

  #runInBrowser(connection: Connection, { method, params }: Command): object {
    switch (method) {
      case "Browser.getVersion":
        return VERSION;
      case "Browser.getBrowserCommandLine":
        return { arguments: [...this.flags] };
      case "Extensions.loadUnpacked":
        return { id: this.#loadExtension(String(params.path)) };
      case "Extensions.getExtensions":
        return { extensions: this.#extensions };
      case "Browser.getWindowForTarget":
        this.#requirePage(params.targetId);
        return { windowId: 1, bounds: { width: 800, height: 600 } };
      case "Target.getTargetInfo":
        return { targetInfo: describe(this.#requirePage(params.targetId)) };
      case "Target.getTargets":
        return { targetInfos: this.pages.map(({ id }) => describe(this.#requirePage(id))) };
      case "Target.setAutoAttach": {
        const { filter } = z
          .object({ filter: z.array(z.object({ type: z.string().optional() })).default([]) })
          .parse(params);
        connection.autoAttachTypes = filter.flatMap(({ type }) => type ?? []);
        for (const page of this.#pages.values()) this.#autoAttach(connection, page, false);
        return {};
      }
      case "Target.createTarget":
        return { targetId: this.#openPage(String(params.url), params.hidden === true).id };
      case "Target.attachToTarget":
        return { sessionId: this.#attach(connection, this.#requirePage(params.targetId), false) };
      case "Target.attachToBrowserTarget":
        return { sessionId: this.#attach(connection, undefined, false) };
      case "Target.closeTarget":
        this.#closePage(this.#requirePage(params.targetId));
        return { success: true };
      case "Target.activateTarget":
        this.#requirePage(params.targetId);
        return {};
      default:
        return {};
    }
  }

  /** Like Chrome, it accepts extensions with `--disable-extensions` and does not run them. */
  #loadExtension(path: string): string {
    if (!path.startsWith("/")) throw new ProtocolError(INVALID_REQUEST, "File path cannot be resolved.");
    const id = `id-of-${path}`;
    if (!this.flags.has("--disable-extensions")) this.#extensions.push({ id, path, enabled: true });
    return id;
  }

  #evaluate(page: Page, expression: string): unknown {
    if (expression === "document.visibilityState") return page === this.#newestPage ? "visible" : "hidden";
    return expression.includes("getHighEntropyValues") ? CLIENT_HINTS : "";
  }

  #openPage(url: string, hidden: boolean): Page {
    this.#openedPages += 1;
    const shown = this.isSlow ? "" : url;
    const page: Page = {
      id: `page-${this.#openedPages}`,
      url: shown,
      hidden,
      dialog: undefined,
      delayedReplies: [],
    };
    this.#pages.set(page.id, page);
    for (const connection of this.#connections) this.#autoAttach(connection, page, true);
    return page;
  }

  #closePage(page: Page): void {
    this.#pages.delete(page.id);
    for (const connection of this.#connections) {
      for (const [sessionId, pageId] of connection.sessions) {
        if (pageId !== page.id) continue;
        connection.sessions.delete(sessionId);
        this.#send(connection, { method: "Target.detachedFromTarget", params: { sessionId } });
      }
    }
  }

  #autoAttach(connection: Connection, page: Page, isNew: boolean): void {
    if (!page.hidden && connection.autoAttachTypes.includes("page")) this.#attach(connection, page, isNew);
  }

  /** Sends the event before the response to the command. */
  #attach(connection: Connection, page: Page | undefined, waitingForDebugger: boolean): string {
    this.#lastId += 1;
    const sessionId = `session-${this.#lastId}`;
    connection.sessions.set(sessionId, page?.id);
    const targetInfo =
      page === undefined ? { targetId: "browser", type: "browser", url: "" } : describe(page);
    const parameters = { sessionId, targetInfo, waitingForDebugger };
    this.#send(connection, { method: "Target.attachedToTarget", params: parameters });
    return sessionId;
  }

  #sendToPage(pageId: string, method: string, params: object): void {
    for (const connection of this.#connections) {
      for (const [sessionId, id] of connection.sessions) {
        if (id === pageId) this.#send(connection, { method, params, sessionId });
      }
    }
  }

  /** A crashed object's socket closes without an event. */
  #send(connection: Connection, message: object): void {
    try {
      connection.socket.send(JSON.stringify(message));
    } catch {
      this.#connections.delete(connection);
    }
  }

  #requirePage(id: unknown): Page {
    const page = this.#pages.get(String(id));
    if (page === undefined) throw new ProtocolError(INVALID_PARAMETERS, "No target with given id found");
    return page;
  }
}

function describe({ id, url, hidden }: Page) {
  return { targetId: id, type: hidden ? "other" : "page", title: url === "" ? "" : "t", url, attached: true };
}
