import { type Dialog, type RemoteBrowser, Screencast, type Tab, type Viewport } from "../browser/index.ts";
import { ServiceError } from "../common/errors.ts";
import { type LogFields, logError, logEvent } from "../common/log.ts";
import type { Computer, Cursor } from "../computer/index.ts";
import { FrameRelay } from "./frame-relay.ts";
import type { DialogView, ServiceMessage, TabView, ViewMode } from "./protocol.ts";
import { Viewer } from "./viewer.ts";

/** How often it is looked which tab is in front: the browser does not tell. A failed look is repeated later. */
const LOOK_INTERVAL_MS = 500;
const RECHECK_INTERVAL_MS = 2000;

/** However fast the tabs change, viewers are told of it no more often. */
const MIN_CHECK_INTERVAL_MS = 100;

/** A screencast is not begun anew for a viewer's other size more often than this. */
const RESIZE_INTERVAL_MS = 1000;

/** So many may look at once. */
const MAX_VIEWERS = 50;

/** What pages say of themselves is cut to this for viewers: it is for reading, and pages may be hostile. */
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2000;
const MAX_DIALOG_TEXT_LENGTH = 5000;

/** How frames are made; larger or better ones slow down the clients that drive the browser beside. */
export interface FrameFormat {
  /** Of JPEG, from 1 to 100. */
  quality: number;
  /** No frame is wider, in pixels. */
  maxWidth: number;
}

interface LiveViewOptions {
  connect: () => Promise<RemoteBrowser>;
  computer: Computer;
  viewport: () => Viewport;
  kiosk: () => boolean;
  format: () => FrameFormat;
  /** Begins a use of the session. */
  beginUse: () => Disposable;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** What is cast now. */
interface Cast {
  browser: RemoteBrowser;
  tab: Tab;
  maxWidth: number;
  startedAt: number;
  screencast: Screencast;
}

/**
 * A session's live view: its viewers, and the screencast of the tab in front, which runs only while somebody looks.
 */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #frames: FrameRelay;
  #cast: Cast | undefined;
  #following: { browser: RemoteBrowser; subscription: Disposable } | undefined;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #timer: number | null = null;
  #lookedAt = 0;
  /** Whether the screencast is to be begun anew although nothing else has changed. */
  #castsAnew = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    this.#frames = new FrameRelay(this.#viewers, 1, () => {
      this.#castsAnew = true;
      this.#look();
    });
  }

  /** How many look now. */
  get count(): number {
    return this.#viewers.size;
  }

  /**
   * Lets one more look.
   *
   * @returns the answer to their upgrade.
   * @throws ServiceError 429 when too many look already.
   */
  connect(mode: ViewMode): Response {
    if (this.#viewers.size >= MAX_VIEWERS) {
      throw new ServiceError("too_many_requests", `At most ${MAX_VIEWERS} may look at a session at once`);
    }
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const use = this.#options.beginUse();
    const openedAt = Date.now();
    const viewer: Viewer = new Viewer({
      socket: server,
      mode,
      kiosk: this.#options.kiosk(),
      computer: this.#options.computer,
      onReady: () => this.#pump(),
      onClosed: () => {
        this.#viewers.delete(viewer);
        use[Symbol.dispose]();
        const duration_ms = Date.now() - openedAt;
        logEvent("viewer_disconnected", { ...this.#options.identify(), mode, duration_ms });
        if (this.#viewers.size === 0) this.#rest();
      },
    });
    this.#viewers.add(viewer);
    logEvent("viewer_connected", { ...this.#options.identify(), mode });
    this.#welcome(viewer);
    this.#look();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Ends every viewer's connection for good; each page says why. */
  closeAll(reason: string): void {
    for (const viewer of this.#viewers) {
      viewer.send({ type: "ended", reason });
      viewer.close(1001, reason);
    }
  }

  /** Tells the viewers where the mouse is. */
  tellCursor({ x, y, hidden }: Cursor): void {
    this.#tell({ type: "cursor", x, y, hidden });
  }

  /** Tells the viewers that the session's window was resized. */
  tellViewport({ width, height }: Viewport): void {
    this.#tell({ type: "viewport", width, height });
    this.#look();
  }

  #welcome(viewer: Viewer): void {
    const { viewport, kiosk, computer } = this.#options;
    const { width, height } = viewport();
    viewer.send({ type: "welcome", mode: viewer.mode, kiosk: kiosk(), viewport: { width, height } });
    const { cursor } = computer;
    if (cursor.x !== 0 || cursor.y !== 0 || cursor.hidden) viewer.send({ type: "cursor", ...cursor });
  }

  /** Looks at the browser soon; once more after that when something changes meanwhile. */
  #look(): void {
    this.#looksAgain = this.#looking !== undefined;
    if (this.#looking !== undefined || this.#viewers.size === 0) return;
    this.#lookIn(Math.max(0, this.#lookedAt + MIN_CHECK_INTERVAL_MS - Date.now()));
  }

  #lookIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lookedAt = Date.now();
      this.#looking = this.#lookOnce()
        .then(() => this.#lookNext(LOOK_INTERVAL_MS))
        .catch((error) => {
          logError("live_view_failed", error, this.#options.identify());
          this.#lookNext(RECHECK_INTERVAL_MS);
        });
    }, milliseconds);
  }

  #lookNext(interval: number): void {
    this.#looking = undefined;
    if (this.#viewers.size === 0) this.#rest();
    else if (this.#looksAgain) this.#look();
    else this.#lookIn(interval);
  }

  async #lookOnce(): Promise<void> {
    for (const viewer of this.#viewers) if (viewer.isSilent) viewer.close(1001, "nothing was heard");
    const browser = await this.#options.connect();
    this.#follow(browser);
    // Nobody waits for it: a page that stands still would hold up the view of it.
    browser.paintSelectLists().catch((error) => logError("select_lists_not_painted", error));
    const [tab] = await Promise.all([browser.tabs.findFront(), browser.tabs.readTitles()]);
    await this.#tellTabs(browser, tab);
    await this.#castTab(browser, tab);
  }

  #follow(browser: RemoteBrowser): void {
    if (this.#following?.browser === browser) return;
    this.#following?.subscription[Symbol.dispose]();
    this.#following = { browser, subscription: browser.tabs.onChange(() => this.#look()) };
  }

  async #castTab(browser: RemoteBrowser, tab: Tab | undefined): Promise<void> {
    const { viewport, format } = this.#options;
    this.#frames.refreshRate = viewport().refreshRate;
    const cast = this.#cast;
    const isCast = cast?.browser === browser && cast.tab === tab;
    if (isCast && !this.#castsAnew && !this.#hasOtherWidth(cast)) return;
    this.#castsAnew = false;
    await this.#stopCast();
    if (tab === undefined || tab.hasCrashed || this.#viewers.size === 0) return;
    const maxWidth = this.#frameWidth();
    const screencast = await Screencast.start(
      tab.session,
      { format: "jpeg", quality: format().quality, maxWidth, maxHeight: maxWidth },
      (frame, acknowledge) => this.#frames.take(frame, acknowledge),
    );
    this.#cast = { browser, tab, maxWidth, startedAt: Date.now(), screencast };
  }

  async #stopCast(): Promise<void> {
    const cast = this.#cast;
    this.#cast = undefined;
    this.#frames.reset();
    await cast?.screencast.stop();
  }

  /** As wide as the largest viewer draws, within the limit; in steps, so that a moved edge restarts nothing. */
  #frameWidth(): number {
    const wanted = Math.max(...[...this.#viewers].map(({ frameSize }) => frameSize.width));
    const limit = Math.min(this.#options.format().maxWidth, this.#options.viewport().width);
    return Math.min(limit, Math.max(320, Math.ceil(wanted / 160) * 160));
  }

  #hasOtherWidth(cast: Cast): boolean {
    return cast.maxWidth !== this.#frameWidth() && Date.now() - cast.startedAt >= RESIZE_INTERVAL_MS;
  }

  #pump(): void {
    this.#frames.pump();
    if (this.#cast !== undefined && this.#hasOtherWidth(this.#cast)) this.#look();
  }

  async #tellTabs(browser: RemoteBrowser, front: Tab | undefined): Promise<void> {
    const history = (await front?.readHistory()) ?? { canGoBack: false, canGoForward: false };
    const tabs = browser.tabs.all().map(describeTab);
    const dialog = front?.dialog === undefined ? null : describeDialog(front.dialog);
    for (const viewer of this.#viewers) {
      viewer.tell({ type: "tabs", tabs, active: front?.id ?? null, ...history });
      viewer.tell({ type: "dialog", dialog });
    }
  }

  #tell(message: ServiceMessage): void {
    for (const viewer of this.#viewers) viewer.send(message);
  }

  /** Nobody looks: nothing is cast, and nothing looked after. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#following?.subscription[Symbol.dispose]();
    this.#following = undefined;
    this.#stopCast().catch((error) => logError("screencast_not_stopped", error, this.#options.identify()));
  }
}

function describeTab({ id, title, url, isLoading, hasCrashed }: Tab): TabView {
  return {
    id,
    title: title.slice(0, MAX_TITLE_LENGTH),
    url: url.slice(0, MAX_URL_LENGTH),
    isLoading,
    hasCrashed,
  };
}

function describeDialog({ id, kind, message, defaultText, url }: Dialog): DialogView {
  return {
    id,
    kind,
    message: message.slice(0, MAX_DIALOG_TEXT_LENGTH),
    defaultText: defaultText.slice(0, MAX_DIALOG_TEXT_LENGTH),
    url: url.slice(0, MAX_URL_LENGTH),
  };
}
