import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { conflict } from "../../../lib/common/errors.ts";
import type { Viewport } from "../../../platform/browser/index.ts";
import { Computer } from "../../computer/index.ts";
import { FrontScreencast, LiveView, type ViewMode } from "../../live-view/index.ts";
import { SessionRecordings } from "../../recordings/index.ts";
import { findSession } from "../queries.ts";
import type { SessionBrowser } from "./browser.ts";
import { SessionHandoffs } from "./handoffs.ts";
import type { ConnectionScope } from "./scope.ts";
import { serveViewerFile } from "./viewer-files.ts";

/** How long a browser may take to release pressed keys and buttons. */
const COMPUTER_CLOSE_TIMEOUT_MS = 500;

const NO_VIEWPORT: Viewport = { width: 0, height: 0, refreshRate: 1 };

/** The computer, the live view and the recordings of a session's browser. */
export class SessionControl {
  readonly #browser: SessionBrowser;
  readonly computer: Computer;
  readonly recordings: SessionRecordings;
  readonly handoffs: SessionHandoffs;
  readonly serveFile: (request: Request, name: string) => Promise<Response>;
  readonly #liveView: LiveView;

  /** @param onActivity called when a viewer or a handoff has come or gone. */
  constructor(scope: ConnectionScope, browser: SessionBrowser, onActivity: () => void) {
    this.#browser = browser;
    const connect = () => browser.connect();
    const viewport = () => scope.record?.viewport ?? NO_VIEWPORT;
    this.computer = new Computer({
      connect,
      viewport,
      homeURL: () => scope.record?.startURL ?? "about:blank",
      onCursor: (cursor) => this.#liveView.sendCursor(cursor),
    });
    const identify = () => scope.state.identity;
    const screencast = new FrontScreencast({
      connect,
      quality: () => scope.state.settings.liveViewFrames.quality,
      identify,
    });
    this.handoffs = new SessionHandoffs(scope, () => {
      this.#liveView.showHandoffs();
      onActivity();
    });
    this.serveFile = (request, name) => serveViewerFile(request, name, scope);
    scope.downloads.onStored = (id, path) =>
      this.#liveView.offerDownload(id, path.slice(path.lastIndexOf("/") + 1));
    this.#liveView = new LiveView({
      screencast,
      computer: this.computer,
      viewport,
      kiosk: () => scope.record?.kioskMode ?? false,
      handoffs: this.handoffs,
      describe: async () => {
        const record = scope.state.requireLiving();
        const row = await findSession(scope.state.database, record, record.id, { includeEnded: false });
        return { name: row?.name ?? null, endsAt: scope.state.deadlines.get("lifetime") ?? null };
      },
      maxWidth: () => scope.state.settings.liveViewFrames.maxWidth,
      beginUse: () => scope.activity.begin(),
      identify,
      onViewer: (type, data) => {
        scope.state.telemetry.record({ category: "connection", type, source: { kind: "kernel_api" }, data });
        onActivity();
      },
    });
    this.recordings = new SessionRecordings({
      background: scope.state,
      screencast,
      journal: scope.state.storage,
      connect,
      viewport,
      identify,
      inBackground: (event, work) => scope.state.inBackground(event, work),
    });
  }

  /** Open live views. */
  get viewers(): number {
    return this.#liveView.count;
  }

  /** @returns the response to a viewer's upgrade. */
  connectViewer(mode: ViewMode, handoff: string | undefined): Response {
    return this.#liveView.connect(mode, handoff);
  }

  /**
   * Aborts pending commands and releases pressed keys and buttons. Does not wait for a slow browser.
   */
  async closeComputer(): Promise<void> {
    const closing = this.computer.close().catch(() => undefined);
    await resolveWithin(closing, COMPUTER_CLOSE_TIMEOUT_MS);
  }

  closeViewers(reason: string): void {
    this.#liveView.closeAll(reason);
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
      if (!force && this.viewers > 0) {
        throw conflict("viewport: a live view is open; set viewport.force to resize it all the same");
      }
      const browser = await this.#browser.connect();
      await browser.resize(viewport);
      write();
    });
    this.#liveView.sendViewport(viewport);
  }
}
