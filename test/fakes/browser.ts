import { z } from "zod";

const commandSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  sessionId: z.string().optional(),
});

/** A DevTools command, as it came over a socket. */
export type Command = z.infer<typeof commandSchema>;

/** A dialog that a page of a fake browser opens. */
export interface FakeDialog {
  type: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  defaultPrompt?: string;
}

interface Page {
  id: string;
  url: string;
  /** Takes no place among the tabs. */
  hidden: boolean;
  dialog: FakeDialog | undefined;
  /** What waits until the dialog is answered. */
  held: (() => void)[];
}

/** A socket, and the sessions that were opened over it. */
interface Connection {
  socket: WebSocket;
  /** The page that the socket itself belongs to. */
  pageId: string | undefined;
  /** Of each session its page; undefined for one of the browser. */
  sessions: Map<string, string | undefined>;
  attachesTo: string[];
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMETERS = -32602;
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;
const SESSION_NOT_FOUND = -32001;

/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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

/** What a page knows and the browser as such does not. */
const OF_PAGES = /^(Page|Runtime|Input|Emulation|DOM)\./;

class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The DevTools side of a fake browser: it has pages, attaches to them, and refuses commands to what is not there;
 * it runs no script and paints nothing. Call what makes it send something inside the object that holds the sockets.
 */
export class FakeBrowser {
  readonly #onCommand: (command: Command) => void;
  readonly #failing: ReadonlySet<string>;
  readonly #connections = new Set<Connection>();
  readonly #pages = new Map<string, Page>();
  /** Whether new pages show nothing until {@link show}. */
  isSlow = false;
  /** How it was started. */
  readonly flags = new Set(["--disable-extensions"]);
  readonly #extensions: { id: string; path: string; enabled: boolean }[] = [];
  #opened = 0;
  #attached = 0;

  /** @param failing methods that are answered with an error; read anew for each command. */
  constructor(onCommand: (command: Command) => void, failing: ReadonlySet<string>) {
    this.#onCommand = onCommand;
    this.#failing = failing;
  }

  /** The pages that have a tab, the one opened last first. */
  get pages(): { id: string; type: "page"; title: string; url: string }[] {
    return [...this.#pages.values()]
      .filter(({ hidden }) => !hidden)
      .map(({ id, url }) => ({ id, type: "page" as const, title: "t", url }))
      .reverse();
  }

  /** @param socket is accepted. */
  connect(socket: WebSocket, pageId: string | undefined): void {
    const connection: Connection = { socket, pageId, sessions: new Map(), attachesTo: [] };
    this.#connections.add(connection);
    socket.addEventListener("close", () => this.#connections.delete(connection));
    socket.addEventListener("message", ({ data }) => {
      const command = commandSchema.parse(JSON.parse(String(data)));
      this.#onCommand(command);
      this.#answer(connection, command);
    });
  }

  /** All sockets break. */
  disconnect(): void {
    for (const { socket } of this.#connections) socket.close(1011, "the browser crashed");
    this.#connections.clear();
  }

  /** Somebody closes every page. */
  closePages(): void {
    for (const { id } of this.pages) this.#closePage(this.#requirePage(id));
  }

  /** The pages that have shown nothing so far show about:blank. */
  show(): void {
    for (const page of this.#pages.values()) {
      if (page.url !== "") continue;
      page.url = "about:blank";
      const message = { method: "Target.targetInfoChanged", params: { targetInfo: describe(page) } };
      for (const connection of this.#connections) this.#tell(connection, message);
    }
  }

  /** A script of the newest page opens a dialog: until it is answered, the page takes no input. */
  openDialog(dialog: FakeDialog): void {
    const page = this.#newestPage;
    page.dialog = dialog;
    this.#tellPage(page.id, "Page.javascriptDialogOpening", { url: page.url, ...dialog });
  }

  /** The newest page's screencast has a frame, the base64 of anything. */
  castFrame(data: string, deviceWidth: number, deviceHeight: number): void {
    const metadata = { deviceWidth, deviceHeight };
    this.#tellPage(this.#newestPage.id, "Page.screencastFrame", { data, metadata, sessionId: 1 });
  }

  get #newestPage(): Page {
    const page = this.#pages.get(this.pages[0]?.id ?? "");
    if (page === undefined) throw new Error("the fake browser has no page");
    return page;
  }

  #answer(connection: Connection, command: Command): void {
    const { id, method, sessionId } = command;
    const reply = (content: object) => connection.socket.send(JSON.stringify({ id, ...content, sessionId }));
    try {
      if (this.#failing.has(method)) throw new Refused(SERVER_ERROR, "refused by a test");
      const page = this.#pageOf(connection, command);
      if (page?.dialog !== undefined && method.startsWith("Input.")) {
        page.held.push(() => reply({ result: {} }));
        return;
      }
      reply({ result: (page && this.#doInPage(page, command)) ?? this.#doInBrowser(connection, command) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      reply({ error: { code: error.code, message: error.message } });
    }
  }

  /** The page that a command is for; undefined when it is for the browser. */
  #pageOf({ pageId, sessions }: Connection, { method, sessionId }: Command): Page | undefined {
    if (sessionId !== undefined && !sessions.has(sessionId)) {
      throw new Refused(SESSION_NOT_FOUND, "Session with given id not found.");
    }
    const id = sessionId === undefined ? pageId : sessions.get(sessionId);
    const page = id === undefined ? undefined : this.#pages.get(id);
    if (page === undefined && OF_PAGES.test(method)) {
      throw new Refused(METHOD_NOT_FOUND, `'${method}' wasn't found`);
    }
    return page;
  }

  /** The result of a command that pages know; undefined for others. */
  #doInPage(page: Page, { method, params }: Command): object | undefined {
    switch (method) {
      case "Page.navigate":
        page.url = String(params.url);
        return { frameId: page.id, loaderId: "L" };
      case "Page.getNavigationHistory":
        return { currentIndex: 0, entries: [{ id: 1, url: page.url, title: "t" }] };
      case "Page.close":
        // The answer comes first.
        queueMicrotask(() => this.#closePage(page));
        return {};
      case "Target.setAutoAttach":
        // Its pages have no frames and workers of their own.
        return {};
      case "Page.getLayoutMetrics":
        return { cssVisualViewport: { pageX: 30, pageY: 500 } };
      case "Page.captureScreenshot":
        return { data: PNG };
      case "Page.addScriptToEvaluateOnNewDocument":
        this.#attached += 1;
        return { identifier: String(this.#attached) };
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "Page.handleJavaScriptDialog": {
        if (page.dialog === undefined) throw new Refused(INVALID_PARAMETERS, "No dialog is showing");
        page.dialog = undefined;
        this.#tellPage(page.id, "Page.javascriptDialogClosed", { result: params.accept, userInput: "" });
        for (const release of page.held.splice(0)) release();
        return {};
      }
      case "Runtime.evaluate":
        return { result: { value: this.#evaluate(page, String(params.expression)) } };
      case "Emulation.getScreenInfos":
        return { screenInfos: [{ id: "1" }] };
      default:
        return OF_PAGES.test(method) ? {} : undefined;
    }
  }

  #doInBrowser(connection: Connection, { method, params }: Command): object {
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
      case "Target.getTargets":
        return { targetInfos: this.pages.map(({ id }) => describe(this.#requirePage(id))) };
      case "Target.setAutoAttach": {
        const { filter } = z
          .object({ filter: z.array(z.object({ type: z.string().optional() })).default([]) })
          .parse(params);
        connection.attachesTo = filter.flatMap(({ type }) => type ?? []);
        for (const page of this.#pages.values()) this.#attachByItself(connection, page, false);
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

  /** As Chrome it takes what it does not run. */
  #loadExtension(path: string): string {
    if (!path.startsWith("/")) throw new Refused(INVALID_REQUEST, "File path cannot be resolved.");
    const id = `id-of-${path}`;
    if (!this.flags.has("--disable-extensions")) this.#extensions.push({ id, path, enabled: true });
    return id;
  }

  #evaluate(page: Page, expression: string): unknown {
    if (expression === "document.visibilityState") return page === this.#newestPage ? "visible" : "hidden";
    return expression.includes("getHighEntropyValues") ? CLIENT_HINTS : "";
  }

  #openPage(url: string, hidden: boolean): Page {
    this.#opened += 1;
    const shown = this.isSlow ? "" : url;
    const page: Page = { id: `page-${this.#opened}`, url: shown, hidden, dialog: undefined, held: [] };
    this.#pages.set(page.id, page);
    for (const connection of this.#connections) this.#attachByItself(connection, page, true);
    return page;
  }

  #closePage(page: Page): void {
    this.#pages.delete(page.id);
    for (const connection of this.#connections) {
      for (const [sessionId, pageId] of connection.sessions) {
        if (pageId !== page.id) continue;
        connection.sessions.delete(sessionId);
        this.#tell(connection, { method: "Target.detachedFromTarget", params: { sessionId } });
      }
    }
  }

  #attachByItself(connection: Connection, page: Page, isNew: boolean): void {
    if (!page.hidden && connection.attachesTo.includes("page")) this.#attach(connection, page, isNew);
  }

  /** Attaches, and says so before the command that asked for it is answered. */
  #attach(connection: Connection, page: Page | undefined, waitingForDebugger: boolean): string {
    this.#attached += 1;
    const sessionId = `session-${this.#attached}`;
    connection.sessions.set(sessionId, page?.id);
    const targetInfo = page === undefined ? { targetId: "browser", type: "browser" } : describe(page);
    const parameters = { sessionId, targetInfo, waitingForDebugger };
    this.#tell(connection, { method: "Target.attachedToTarget", params: parameters });
    return sessionId;
  }

  #tellPage(pageId: string, method: string, params: object): void {
    for (const connection of this.#connections) {
      for (const [sessionId, id] of connection.sessions) {
        if (id === pageId) this.#tell(connection, { method, params, sessionId });
      }
    }
  }

  /** A socket whose object has crashed is closed without an event. */
  #tell(connection: Connection, message: object): void {
    try {
      connection.socket.send(JSON.stringify(message));
    } catch {
      this.#connections.delete(connection);
    }
  }

  #requirePage(id: unknown): Page {
    const page = this.#pages.get(String(id));
    if (page === undefined) throw new Refused(INVALID_PARAMETERS, "No target with given id found");
    return page;
  }
}

function describe({ id, url, hidden }: Page) {
  return { targetId: id, type: hidden ? "other" : "page", title: url === "" ? "" : "t", url, attached: true };
}
