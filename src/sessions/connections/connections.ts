import type { Deadlines } from "../../alarms/deadlines.ts";
import { Downloads } from "../../browser/downloads.ts";
import { VisitedOrigins } from "../../browser/visited-origins.ts";
import { type LogFields, logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { readBrowserProxy } from "../../proxies/select-proxy.ts";
import { Activity, idleSinceAfterRestart } from "../lifecycle/inactivity.ts";
import { longestPingInterval } from "../lifecycle/ping-interval.ts";
import type { SessionRecord, SessionStorage } from "../record.ts";
import { SessionBrowser } from "./browser.ts";
import { BrowserWatch } from "./browser-watch.ts";
import { SessionClients } from "./clients.ts";
import { SessionControl } from "./control.ts";
import { SessionExtensions } from "./extensions.ts";
import { MachineSessionFiles } from "./machine-files.ts";

interface SessionConnectionsOptions {
  env: Env;
  storage: SessionStorage;
  /** Where the next look at the browser is noted down. */
  deadlines: Pick<Deadlines<"ping">, "set">;
  /** The session as it is now. */
  readRecord: () => SessionRecord | undefined;
  /** The browser is lost for good. */
  onLost: () => Promise<void>;
  /** Keeps the object alive while work is under way. */
  waitUntil: (work: Promise<unknown>) => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/**
 * Everything that is connected to a session's browser: the session's own connection, its clients, its viewers, and
 * what they have under way. Once they are ended nothing of them reaches the browser any more, so that a pooled
 * browser is free of its last lease.
 */
export class SessionConnections {
  readonly activity: Activity;
  readonly browser: SessionBrowser;
  readonly clients: SessionClients;
  readonly control: SessionControl;
  readonly watch: BrowserWatch;
  readonly visitedOrigins: VisitedOrigins;
  readonly #options: SessionConnectionsOptions;
  #areOver = false;

  constructor(options: SessionConnectionsOptions) {
    this.#options = options;
    const { env, storage, identify } = options;
    const readRecord = () => (this.#areOver ? undefined : options.readRecord());
    const readLiving = () => (readRecord()?.phase === "ended" ? undefined : readRecord());
    const binding = env.BROWSER;
    this.activity = new Activity(idleSinceAfterRestart(storage.readActivity(), Date.now()), (activity) => {
      if (!this.#areOver) storage.writeActivity(activity);
    });
    const { activity } = this;
    this.visitedOrigins = new VisitedOrigins(storage.readOrigins(), () => {
      if (!this.#areOver) storage.writeOrigins(this.visitedOrigins.all());
    });
    const files = new MachineSessionFiles({ machines: env.SESSION_MACHINE, readRecord: readLiving });
    const downloads = new Downloads({
      files,
      beginUse: () => activity.begin(),
      onFailure: (error) => {
        if (readLiving() !== undefined) logError("download_not_stored", error, identify());
      },
    });
    this.browser = new SessionBrowser({
      binding,
      listLagMs: readSettings(env).browserListLagMs,
      readRecord: readLiving,
      files,
      downloads,
      proxy: async () => {
        const record = readLiving();
        if (record === undefined || record.proxyId === null) return undefined;
        return readBrowserProxy(env, record.organizationId, record.proxyId);
      },
      onVisit: (url) => this.visitedOrigins.hear(url),
      extensions: new SessionExtensions(env.FILES, storage),
      onDisconnected: () => this.watch.hearDisconnect(),
      identify,
    });
    const { browser } = this;
    this.watch = new BrowserWatch({
      browser,
      deadlines: options.deadlines,
      isActive: () => readRecord()?.phase === "active" || readRecord()?.phase === "idle",
      pingIntervalMs: () => longestPingInterval(readSettings(env).browserKeepAliveMs),
      onLost: options.onLost,
      waitUntil: options.waitUntil,
      identify,
    });
    this.clients = new SessionClients({
      binding,
      activity,
      browser,
      files,
      downloads,
      mainContext: () => readRecord()?.mainContext,
      isOpen: () => readRecord()?.phase === "active",
      urlGeneration: () => readRecord()?.urlGeneration ?? 0,
      identify,
    });
    this.control = new SessionControl({
      browser,
      activity,
      readRecord,
      frameFormat: () => readSettings(env).liveViewFrames,
      identify,
    });
  }

  /** Has the tab in front go there, and keeps nobody waiting. */
  openStartURL(url: string): void {
    const { waitUntil, identify } = this.#options;
    const navigate = async () => {
      const browser = await this.browser.connect();
      await browser.shown;
      await (await browser.tabs.front()).navigate(url);
    };
    waitUntil(navigate().catch((error) => logError("start_url_not_opened", error, identify())));
  }

  /** Ends the connections of clients and viewers; each is told why. */
  closeAll(reason: string): void {
    this.clients.closeAll(reason);
    this.control.closeViewers(reason);
  }

  /** Ends what is left. The browser goes on. */
  end(): void {
    this.#areOver = true;
    this.browser.disconnect();
  }
}
