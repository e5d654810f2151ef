import { type Dialog, type RemoteBrowser, Screencast, type Tab, type Viewport } from "../browser/index.ts";
import { ServiceError } from "../common/errors.ts";
import { type LogFields, logError, logEvent } from "../common/log.ts";
import type { Computer, Cursor } from "../computer/index.ts";
import { FrameRelay } from "./frame-relay.ts";
import type { DialogView, ServiceMessage, TabView, ViewMode } from "./protocol.ts";
import { Viewer } from "./viewer.ts";

/** The browser does not report changes of the front tab. */
const CHECK_INTERVAL_MS = 500;
const RETRY_INTERVAL_MS = 2000;

const MIN_CHECK_INTERVAL_MS = 100;

const RESIZE_INTERVAL_MS = 1000;

const MAX_VIEWERS = 50;

/** Pages can be hostile, so titles are truncated. */
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2000;
const MAX_DIALOG_TEXT_LENGTH = 5000;

export interface FrameFormat {
  quality: number;
  maxWidth: number;
}

interface LiveViewOptions {
  connect: () => Promise<RemoteBrowser>;
  computer: Computer;
  viewport: () => Viewport;
  kiosk: () => boolean;
  format: () => FrameFormat;
  /** The session stays in use until the result is disposed. */
  beginUse: () => Disposable;
  identify: () => LogFields;
}

interface ActiveScreencast {
  browser: RemoteBrowser;
  tab: Tab;
  maxWidth: number;
  startedAt: number;
  screencast: Screencast;
}

/**
 * A session's live view. The front tab's screencast runs only while there are viewers.
 *
 * @example
 * ```ts
 * const liveView = new LiveView(options);
 * const response = liveView.connect("watch"); // the answer to a WebSocket upgrade
 * liveView.closeAll("the session ended");
 * ```
 */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #frames: FrameRelay;
  #cast: ActiveScreencast | undefined;
  #following: { browser: RemoteBrowser; subscription: Disposable } | undefined;
  #checking: Promise<void> | undefined;
  #mustCheckAgain = false;
  #timer: number | null = null;
  #checkedAt = 0;
  #mustRestart = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    this.#frames = new FrameRelay(this.#viewers, 1, () => {
      this.#mustRestart = true;
      this.#check();
    });
  }

  get count(): number {
    return this.#viewers.size;
  }

  /**
   * @returns the answer to a viewer's WebSocket upgrade.
   * @throws ServiceError 429 when there are too many viewers.
   */
  connect(mode: ViewMode): Response {
    if (this.#viewers.size >= MAX_VIEWERS) {
      throw new ServiceError("too_many_requests", `At most ${MAX_VIEWERS} viewers per session`);
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
        if (this.#viewers.size === 0) this.#stop();
      },
    });
    this.#viewers.add(viewer);
    logEvent("viewer_connected", { ...this.#options.identify(), mode });
    this.#welcome(viewer);
    this.#check();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Viewers do not reconnect; their page shows the reason. */
  closeAll(reason: string): void {
    for (const viewer of this.#viewers) {
      viewer.send({ type: "ended", reason });
      viewer.close(1001, reason);
    }
  }

  sendCursor({ x, y, hidden }: Cursor): void {
    this.#sendAll({ type: "cursor", x, y, hidden });
  }

  sendViewport({ width, height }: Viewport): void {
    this.#sendAll({ type: "viewport", width, height });
    this.#check();
  }

  #welcome(viewer: Viewer): void {
    const { viewport, kiosk, computer } = this.#options;
    const { width, height } = viewport();
    viewer.send({ type: "welcome", mode: viewer.mode, kiosk: kiosk(), viewport: { width, height } });
    const { cursor } = computer;
    if (cursor.x !== 0 || cursor.y !== 0 || cursor.hidden) viewer.send({ type: "cursor", ...cursor });
  }

  #check(): void {
    this.#mustCheckAgain = this.#checking !== undefined;
    if (this.#checking !== undefined || this.#viewers.size === 0) return;
    this.#checkAfter(Math.max(0, this.#checkedAt + MIN_CHECK_INTERVAL_MS - Date.now()));
  }

  #checkAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#checkedAt = Date.now();
      this.#checking = this.#checkOnce()
        .then(() => this.#scheduleNextCheck(CHECK_INTERVAL_MS))
        .catch((error) => {
          logError("live_view_failed", error, this.#options.identify());
          this.#scheduleNextCheck(RETRY_INTERVAL_MS);
        });
    }, milliseconds);
  }

  #scheduleNextCheck(interval: number): void {
    this.#checking = undefined;
    if (this.#viewers.size === 0) this.#stop();
    else if (this.#mustCheckAgain) this.#check();
    else this.#checkAfter(interval);
  }

  async #checkOnce(): Promise<void> {
    for (const viewer of this.#viewers) if (viewer.isSilent) viewer.close(1001, "no message received");
    const browser = await this.#options.connect();
    this.#follow(browser);
    // Not awaited, because a blocked page would delay its view.
    browser.paintSelectLists().catch((error) => logError("select_lists_not_painted", error));
    const [tab] = await Promise.all([browser.tabs.findFront(), browser.tabs.readTitles()]);
    await this.#sendTabs(browser, tab);
    await this.#showTab(browser, tab);
  }

  #follow(browser: RemoteBrowser): void {
    if (this.#following?.browser === browser) return;
    this.#following?.subscription[Symbol.dispose]();
    this.#following = { browser, subscription: browser.tabs.onChange(() => this.#check()) };
  }

  async #showTab(browser: RemoteBrowser, tab: Tab | undefined): Promise<void> {
    const { viewport, format } = this.#options;
    this.#frames.refreshRate = viewport().refreshRate;
    const cast = this.#cast;
    const isCast = cast?.browser === browser && cast.tab === tab;
    if (isCast && !this.#mustRestart && !this.#hasOtherWidth(cast)) return;
    this.#mustRestart = false;
    await this.#stopScreencast();
    if (tab === undefined || tab.hasCrashed || this.#viewers.size === 0) return;
    const maxWidth = this.#frameWidth();
    const screencast = await Screencast.start(
      tab.session,
      { format: "jpeg", quality: format().quality, maxWidth, maxHeight: maxWidth },
      (frame, acknowledge) => this.#frames.handleFrame(frame, acknowledge),
    );
    this.#cast = { browser, tab, maxWidth, startedAt: Date.now(), screencast };
  }

  async #stopScreencast(): Promise<void> {
    const cast = this.#cast;
    this.#cast = undefined;
    this.#frames.reset();
    await cast?.screencast.stop();
  }

  /**
   * The largest viewer's width within the limit. Rounded, so that small changes of a window restart nothing.
   */
  #frameWidth(): number {
    const wanted = Math.max(...[...this.#viewers].map(({ frameSize }) => frameSize.width));
    const limit = Math.min(this.#options.format().maxWidth, this.#options.viewport().width);
    return Math.min(limit, Math.max(320, Math.ceil(wanted / 160) * 160));
  }

  #hasOtherWidth(cast: ActiveScreencast): boolean {
    return cast.maxWidth !== this.#frameWidth() && Date.now() - cast.startedAt >= RESIZE_INTERVAL_MS;
  }

  #pump(): void {
    this.#frames.pump();
    if (this.#cast !== undefined && this.#hasOtherWidth(this.#cast)) this.#check();
  }

  async #sendTabs(browser: RemoteBrowser, front: Tab | undefined): Promise<void> {
    const history = (await front?.readHistory()) ?? { canGoBack: false, canGoForward: false };
    const tabs = browser.tabs.all().map(describeTab);
    const dialog = front?.dialog === undefined ? null : describeDialog(front.dialog);
    for (const viewer of this.#viewers) {
      viewer.sendIfChanged({ type: "tabs", tabs, active: front?.id ?? null, ...history });
      viewer.sendIfChanged({ type: "dialog", dialog });
    }
  }

  #sendAll(message: ServiceMessage): void {
    for (const viewer of this.#viewers) viewer.send(message);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#following?.subscription[Symbol.dispose]();
    this.#following = undefined;
    this.#stopScreencast().catch((error) =>
      logError("screencast_not_stopped", error, this.#options.identify()),
    );
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
