import type { Viewport } from "../../browser/index.ts";
import { withinTime } from "../../common/concurrency.ts";
import { conflict } from "../../common/errors.ts";
import { logError } from "../../common/log.ts";
import { settle } from "../../common/outcome.ts";
import { Computer, type RunCommand, SessionComputer, toComputerError } from "../../computer/index.ts";
import { LiveView, type ViewMode } from "../../live-view/index.ts";
import type { SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

/** How long a browser may take to release pressed keys and buttons. */
const COMPUTER_CLOSE_TIMEOUT_MS = 500;

const NO_VIEWPORT: Viewport = { width: 0, height: 0, refreshRate: 1 };

/** What people and agents do with a session's browser beside its DevTools clients: its computer and its live view. */
export class SessionControl {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  readonly #computer: Computer;
  readonly #liveView: LiveView;

  constructor(scope: ConnectionScope, browser: SessionBrowser) {
    this.#scope = scope;
    this.#browser = browser;
    const connect = () => browser.connect();
    const viewport = () => scope.record?.viewport ?? NO_VIEWPORT;
    this.#computer = new Computer({
      connect,
      viewport,
      homeURL: () => scope.record?.startURL ?? "about:blank",
      onCursor: (cursor) => this.#liveView.tellCursor(cursor),
    });
    this.#liveView = new LiveView({
      connect,
      computer: this.#computer,
      viewport,
      kiosk: () => scope.record?.kiosk ?? false,
      format: () => scope.state.settings.liveViewFrames,
      beginUse: () => scope.activity.begin(),
      identify: () => scope.state.identity,
    });
  }

  /**
   * The session's computer for one caller.
   *
   * @param requireUsable throws a ServiceError where the session is not that caller's to use.
   * @param onFailure called when the browser failed a command, which may mean that it is lost.
   */
  computerFor(requireUsable: () => Promise<void>, onFailure: () => void): SessionComputer {
    const { activity, state } = this.#scope;
    const run: RunCommand = (command) =>
      settle(async () => {
        await requireUsable();
        using _use = activity.begin();
        try {
          return await command(this.#computer);
        } catch (error) {
          // An end of the session is the better reason.
          await requireUsable();
          const told = toComputerError(error);
          if (told.cause !== undefined) logError("computer_command_failed", told.cause, state.identity);
          if (told.code === "service_unavailable" && told.shouldRetry !== false) onFailure();
          throw told;
        }
      });
    return new SessionComputer(run);
  }

  /** Lets a viewer look. @returns the answer to their upgrade. */
  connectViewer(mode: ViewMode): Response {
    return this.#liveView.connect(mode);
  }

  /**
   * Breaks off what callers have under way and releases what they left pressed; where the browser takes its time, that is
   * not waited for.
   */
  async closeComputer(): Promise<void> {
    const closing = this.#computer.close().catch(() => undefined);
    await withinTime(closing, COMPUTER_CLOSE_TIMEOUT_MS);
  }

  closeViewers(reason: string): void {
    this.#liveView.closeAll(reason);
  }

  /**
   * Gives the browser's windows another size.
   *
   * @param options.force also while somebody looks at the live view.
   * @param options.write notes the size, once the windows have it.
   * @throws ServiceError 409 while somebody looks, without force.
   */
  async resize(viewport: Viewport, { force, write }: { force: boolean; write: () => void }): Promise<void> {
    await this.#computer.inOrder(async () => {
      if (!force && this.#liveView.count > 0) {
        throw conflict("viewport: a live view is open; set viewport.force to resize it all the same");
      }
      const browser = await this.#browser.connect();
      await browser.resize(viewport);
      write();
    });
    this.#liveView.tellViewport(viewport);
  }
}
