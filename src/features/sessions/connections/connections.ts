import { conflict } from "../../../lib/common/errors.ts";
import type { LogFields } from "../../../lib/common/log.ts";
import type { Viewport, VisitedOrigins } from "../../../platform/browser/index.ts";
import { Computer } from "../../computer/index.ts";
import { FrontScreencast, type LiveView, type ViewEndCause } from "../../live-view/index.ts";
import { SessionRecordings } from "../../recordings/index.ts";
import type { Activity } from "../activity.ts";
import { ActivityRow } from "../activity-row.ts";
import type { SessionState } from "../state.ts";
import { type SessionActivity, writeActivity } from "../store.ts";
import { type BrowserLoss, SessionBrowser } from "./browser.ts";
import { BrowserWatch } from "./browser-watch.ts";
import { SessionClients } from "./clients.ts";
import { SessionHandoffs } from "./handoffs.ts";
import { openLiveView } from "./live-view.ts";
import { ConnectionScope } from "./scope.ts";
import { Snapshots } from "./snapshots.ts";
import { serveViewerFile } from "./viewer-files.ts";
import { SessionWebDriver } from "./webdriver.ts";
import { WholeSessionRecording } from "./whole-session-recording.ts";

const NO_VIEWPORT: Viewport = { width: 0, height: 0, refreshRate: 1 };

export interface ConnectionsListener {
  /** Called once the browser is lost. */
  onLost: (loss: BrowserLoss) => Promise<void>;
  /** Called when the last DevTools client has gone, or the only one could not connect. */
  onUnused: () => void;
}

/**
 * Everything that is connected to a session's browser: the session's own connection, its clients and viewers,
 * and the commands they have under way. After {@link close}, none of them reaches the browser any more, so a
 * pool browser is free for its next lease.
 */
export class SessionConnections {
  readonly browser: SessionBrowser;
  readonly clients: SessionClients;
  readonly computer: Computer;
  readonly handoffs: SessionHandoffs;
  readonly liveView: LiveView;
  readonly recordings: SessionRecordings;
  readonly recording: WholeSessionRecording;
  readonly watch: BrowserWatch;
  readonly snapshots: Snapshots;
  readonly activityRow: ActivityRow;
  readonly webDriver: SessionWebDriver;
  readonly #scope: ConnectionScope;

  constructor(state: SessionState, { onLost, onUnused }: ConnectionsListener) {
    const onActivity = () => this.activityRow.update();
    const scope = new ConnectionScope(state, onActivity);
    this.#scope = scope;
    this.browser = new SessionBrowser(scope, {
      onVisit: () => this.snapshots.takeSoon(),
      onForbidden: (targetId) => this.clients.hide(targetId),
      onDisconnected: () => this.watch.handleDisconnect(),
    });
    this.snapshots = new Snapshots(scope, this.browser);
    this.watch = new BrowserWatch(scope, this.browser, onLost);
    this.clients = new SessionClients(scope, this.browser, { onCount: onActivity, onUnused });
    this.webDriver = new SessionWebDriver(scope, this.clients);
    const connect = () => this.browser.connect();
    const viewport = () => scope.record?.viewport ?? NO_VIEWPORT;
    const identify = () => state.identity;
    const quality = () => state.settings.liveViewFrames.quality;
    const screencast = new FrontScreencast({ connect, quality, identify });
    this.computer = new Computer({
      connect,
      viewport,
      homeURL: () => scope.record?.startURL ?? "about:blank",
      onCursor: (cursor) => this.liveView.sendCursor(cursor),
    });
    this.handoffs = new SessionHandoffs(scope, () => {
      this.liveView.showHandoffs();
      onActivity();
    });
    const { computer, handoffs } = this;
    this.liveView = openLiveView(scope, { screencast, computer, handoffs, viewport, onViewer: onActivity });
    const inBackground = (event: string, work: Promise<unknown>) => state.inBackground(event, work);
    this.recordings = new SessionRecordings({
      env: state.env,
      screencast,
      journal: state.storage,
      connect,
      viewport,
      identify,
      inBackground,
    });
    this.activityRow = new ActivityRow({
      read: () => this.#readActivity(),
      write: async (activity) => {
        const { record } = scope;
        if (record !== undefined) await writeActivity(state.database, record, activity);
      },
      inBackground,
    });
    this.recording = new WholeSessionRecording(scope, this);
  }

  get activity(): Activity {
    return this.#scope.activity;
  }

  get identity(): LogFields {
    return this.#scope.state.identity;
  }

  get visitedOrigins(): VisitedOrigins {
    return this.#scope.visitedOrigins;
  }

  /** Opens a URL in the front tab, in the background. */
  openStartURL(url: string): void {
    const navigate = async () => {
      const browser = await this.browser.connect();
      await browser.shown;
      await (await browser.tabs.front()).navigate(url);
    };
    this.#scope.state.inBackground("start_url_not_opened", navigate());
  }

  /** Serves a file to or from a viewer. */
  serveFile(request: Request, name: string): Promise<Response> {
    return serveViewerFile(request, name, this.#scope);
  }

  /**
   * Resizes the browser's windows.
   *
   * @param options.force resize even while the live view has viewers.
   * @param options.write stores the size once the windows have it.
   * @throws ServiceError 409 while there are viewers, unless forced.
   */
  async resize(viewport: Viewport, { force, write }: { force: boolean; write: () => void }): Promise<void> {
    await this.computer.inOrder(async () => {
      if (!force && this.liveView.count > 0) {
        throw conflict("viewport: a live view is open; set viewport.force to resize it all the same");
      }
      const browser = await this.browser.connect();
      await browser.resize(viewport);
      write();
    });
    this.liveView.sendViewport(viewport);
  }

  /** Closes the connections of clients and viewers with a reason. */
  closeAll(reason: string, cause: ViewEndCause): void {
    this.clients.closeAll(reason);
    this.liveView.closeAll(reason, cause);
  }

  /** Closes the session's own connection too. The browser keeps running. */
  close(): void {
    this.snapshots.close();
    this.activityRow.close();
    this.#scope.close();
    this.browser.disconnect();
  }

  #readActivity(): SessionActivity | undefined {
    if (this.#scope.record?.phase !== "active") return undefined;
    const { pending } = this.handoffs;
    return {
      clients: this.clients.count,
      viewers: this.liveView.count,
      handoffs: pending.length > 0 ? pending : null,
      idleSince: pending.length > 0 ? null : this.activity.idleSince,
    };
  }
}

/** The current connections of a session. Each lease of a pooled session has its own. */
export class CurrentConnections {
  readonly #state: SessionState;
  readonly #listener: ConnectionsListener;
  #current: SessionConnections;

  constructor(state: SessionState, listener: ConnectionsListener) {
    this.#state = state;
    this.#listener = listener;
    this.#current = new SessionConnections(state, listener);
  }

  get current(): SessionConnections {
    return this.#current;
  }

  /** Replaces the connections. The caller closes the previous ones. */
  renew(): void {
    this.#current = new SessionConnections(this.#state, this.#listener);
  }
}
