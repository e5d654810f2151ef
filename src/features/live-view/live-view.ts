import { ServiceError } from "../../lib/common/errors.ts";
import { type LogFields, logError, logEvent } from "../../lib/common/log.ts";
import type { Dialog, RemoteBrowser, Tab, Viewport } from "../../platform/browser/index.ts";
import type { Computer, Cursor } from "../computer/index.ts";
import type { FrontScreencast, ScreencastUser } from "./front-screencast.ts";
import type {
  DialogView,
  HandoffView,
  ServiceMessage,
  SessionView,
  TabView,
  ViewEndCause,
  ViewMode,
} from "./protocol.ts";
import { Viewer } from "./viewer.ts";

const MAX_VIEWERS = 50;

/** Pages can be hostile, so titles are truncated. */
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2000;
const MAX_DIALOG_TEXT_LENGTH = 5000;

interface LiveViewOptions {
  screencast: FrontScreencast;
  computer: Computer;
  viewport: () => Viewport;
  kiosk: () => boolean;
  handoffs: {
    /** @returns a message once the handoff of a viewer's link has ended. */
    shownTo(link: string | undefined): HandoffView | string | null;
    finish(id: string, status: "done", note: string | null): void;
  };
  describe: () => Promise<SessionView>;
  /** Largest width of frames, in pixels. */
  maxWidth: () => number;
  /** The session stays in use until the result is disposed. */
  beginUse: () => Disposable;
  identify: () => LogFields;
  /** Called when a viewer has connected or disconnected. */
  onViewer: (type: "live_view_connect" | "live_view_disconnect", data: Record<string, unknown>) => void;
}

/**
 * A session's live view. It uses the front tab's screencast while there are viewers.
 *
 * @example
 * ```ts
 * const liveView = new LiveView(options);
 * const response = liveView.connect("watch", undefined); // the answer to a WebSocket upgrade
 * liveView.closeAll("the session ended", "session");
 * ```
 */
export class LiveView implements ScreencastUser {
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  #use: Disposable | undefined;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#viewers.size;
  }

  get receivers(): Iterable<Viewer> {
    return this.#viewers;
  }

  get frameRate(): number {
    return this.#options.viewport().refreshRate;
  }

  /** The largest viewer's width within the limit. Rounded, so small changes of a window restart nothing. */
  get frameWidth(): number {
    const wanted = Math.max(0, ...[...this.#viewers].map(({ frameSize }) => frameSize.width));
    const limit = Math.min(this.#options.maxWidth(), this.#options.viewport().width);
    return Math.min(limit, Math.max(320, Math.ceil(wanted / 160) * 160));
  }

  async observe(browser: RemoteBrowser, front: Tab | undefined): Promise<void> {
    for (const viewer of this.#viewers) if (viewer.isSilent) viewer.close(1001, "no message received");
    // Not awaited, because a blocked page would delay its view.
    browser.paintSelectLists().catch((error) => logError("select_lists_not_painted", error));
    await this.#sendTabs(browser, front);
  }

  /**
   * @param handoff the handoff that the viewer's link was made for.
   * @returns the answer to a viewer's WebSocket upgrade.
   * @throws ServiceError 429 when there are too many viewers.
   */
  connect(mode: ViewMode, handoff: string | undefined): Response {
    if (this.#viewers.size >= MAX_VIEWERS) {
      throw new ServiceError("too_many_requests", `At most ${MAX_VIEWERS} viewers per session`);
    }
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const use = this.#options.beginUse();
    const openedAt = Date.now();
    const session_id = crypto.randomUUID();
    const viewer: Viewer = new Viewer({
      socket: server,
      mode,
      handoff,
      kiosk: this.#options.kiosk(),
      computer: this.#options.computer,
      onHandoffDone: (id, note) => this.#options.handoffs.finish(handoff ?? id, "done", note || null),
      onReady: () => this.#options.screencast.pump(),
      onClosed: () => {
        this.#viewers.delete(viewer);
        use[Symbol.dispose]();
        const duration_ms = Date.now() - openedAt;
        logEvent("viewer_disconnected", { ...this.#options.identify(), mode, duration_ms });
        this.#options.onViewer("live_view_disconnect", { session_id, duration_ms });
        if (this.#viewers.size === 0) this.#leaveScreencast();
      },
    });
    this.#viewers.add(viewer);
    logEvent("viewer_connected", { ...this.#options.identify(), mode });
    this.#options.onViewer("live_view_connect", { session_id });
    this.#welcome(viewer);
    this.showHandoffs();
    const describing = this.#options.describe().then((view) => viewer.send({ type: "session", ...view }));
    describing.catch((error) => logError("session_not_described", error));
    this.#use ??= this.#options.screencast.use(this);
    this.#options.screencast.check();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Viewers do not reconnect; their page shows the reason. */
  closeAll(reason: string, cause: ViewEndCause): void {
    for (const viewer of this.#viewers) viewer.end(reason, cause);
  }

  /** Shows pending handoffs. A viewer whose link was made for one leaves once it has ended. */
  showHandoffs(): void {
    for (const viewer of this.#viewers) {
      const handoff = this.#options.handoffs.shownTo(viewer.handoff);
      if (typeof handoff === "string") viewer.end(handoff, "use");
      else viewer.sendIfChanged({ type: "handoff", handoff });
    }
  }

  /** Offers a finished download to the viewers that may have it. */
  offerDownload(id: string, name: string): void {
    for (const viewer of this.#viewers) {
      if (viewer.mode === "control") viewer.send({ type: "download", id, name });
    }
  }

  sendCursor({ x, y, hidden }: Cursor): void {
    this.#sendAll({ type: "cursor", x, y, hidden });
  }

  sendViewport({ width, height }: Viewport): void {
    this.#sendAll({ type: "viewport", width, height });
    this.#options.screencast.check();
  }

  #welcome(viewer: Viewer): void {
    const { viewport, kiosk, computer } = this.#options;
    const { width, height } = viewport();
    viewer.send({ type: "welcome", mode: viewer.mode, kiosk: kiosk(), viewport: { width, height } });
    const { cursor } = computer;
    if (cursor.x !== 0 || cursor.y !== 0 || cursor.hidden) viewer.send({ type: "cursor", ...cursor });
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

  #leaveScreencast(): void {
    this.#use?.[Symbol.dispose]();
    this.#use = undefined;
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
