import type { LogFields } from "../../../lib/common/log.ts";
import type { VisitedOrigins } from "../../../platform/browser/index.ts";
import type { Activity } from "../activity.ts";
import { ActivityRow } from "../activity-row.ts";
import type { SessionState } from "../state.ts";
import { type SessionActivity, writeActivity } from "../store.ts";
import { type BrowserLoss, SessionBrowser } from "./browser.ts";
import { BrowserWatch } from "./browser-watch.ts";
import { SessionClients } from "./clients.ts";
import { SessionControl } from "./control.ts";
import { ConnectionScope } from "./scope.ts";
import { Snapshots } from "./snapshots.ts";
import { SessionWebDriver } from "./webdriver.ts";
import { WholeSessionRecording } from "./whole-session-recording.ts";

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
  readonly control: SessionControl;
  readonly recording: WholeSessionRecording;
  readonly watch: BrowserWatch;
  readonly snapshots: Snapshots;
  readonly activityRow: ActivityRow;
  readonly webDriver: SessionWebDriver;
  readonly #scope: ConnectionScope;

  constructor(state: SessionState, { onLost, onUnused }: ConnectionsListener) {
    const onActivity = () => this.activityRow.update();
    this.#scope = new ConnectionScope(state, onActivity);
    this.browser = new SessionBrowser(this.#scope, {
      onVisit: () => this.snapshots.takeSoon(),
      onForbidden: (targetId) => this.clients.hide(targetId),
      onDisconnected: () => this.watch.handleDisconnect(),
    });
    this.snapshots = new Snapshots(this.#scope, this.browser);
    this.watch = new BrowserWatch(this.#scope, this.browser, onLost);
    this.clients = new SessionClients(this.#scope, this.browser, { onCount: onActivity, onUnused });
    this.webDriver = new SessionWebDriver(this.#scope, this.clients);
    this.control = new SessionControl(this.#scope, this.browser, onActivity);
    this.activityRow = new ActivityRow({
      read: () => this.#readActivity(),
      write: async (activity) => {
        const { record } = this.#scope;
        if (record !== undefined) await writeActivity(state.database, record, activity);
      },
      inBackground: (event, work) => state.inBackground(event, work),
    });
    this.recording = new WholeSessionRecording(this.#scope, {
      browser: this.browser,
      recordings: this.control.recordings,
    });
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

  /** Closes the connections of clients and viewers with a reason. */
  closeAll(reason: string): void {
    this.clients.closeAll(reason);
    this.control.closeViewers(reason);
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
    return {
      clients: this.clients.count,
      viewers: this.control.viewers,
      idleSince: this.control.handoffs.pending.length > 0 ? null : this.activity.idleSince,
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
