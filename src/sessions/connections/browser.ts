import { isBrowserGone } from "../../browser/binding.ts";
import type { BrowserProxy } from "../../browser/browser-proxy.ts";
import type { Downloads } from "../../browser/downloads.ts";
import { RemoteBrowser } from "../../browser/remote-browser.ts";
import type { SessionFiles } from "../../browser/session-files.ts";
import { type LogFields, logError } from "../../common/log.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionExtensions } from "./extensions.ts";

/** How long a browser may fail to answer before it is given up although the platform still lists it. */
const LONGEST_SILENCE_MS = 5 * 60_000;

/** What a check found: `silent` may be either of the others. */
export type BrowserState = "alive" | "silent" | "lost";

interface SessionBrowserOptions {
  binding: BrowserRun;
  /** What the platform says of its browsers may be late by so much, in milliseconds. */
  listLagMs: number;
  /** The session as it is now; undefined when it is over. */
  readRecord: () => SessionRecord | undefined;
  /** What pages may be given. */
  files: SessionFiles;
  /** Takes what the browser downloads. */
  downloads: Downloads;
  /** The proxy that its main context has. */
  proxy: () => Promise<BrowserProxy | undefined>;
  /** Called with each address that its pages go to. */
  onVisit: (url: string) => void;
  /** What runs in its pages. */
  extensions: Pick<SessionExtensions, "load">;
  /** Called when the connection to the browser is lost, which may or may not mean the browser. */
  onDisconnected: () => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** A session's own connection to its browser: opened when it is wanted, once at a time, and opened anew when lost. */
export class SessionBrowser {
  readonly #options: SessionBrowserOptions;
  #browser: RemoteBrowser | undefined;
  #connecting: Promise<RemoteBrowser> | undefined;
  #checking: Promise<BrowserState> | undefined;
  /** Since when no check found it alive. */
  #silentSince: number | undefined;
  /** Since when the platform says that it is gone. */
  #goneSince: number | undefined;

  constructor(options: SessionBrowserOptions) {
    this.#options = options;
  }

  /** The connected browser; undefined while there is no connection. */
  get connected(): RemoteBrowser | undefined {
    return this.#browser;
  }

  /** @throws when the session is over, or its browser does not answer. */
  connect(): Promise<RemoteBrowser> {
    if (this.#browser !== undefined) return Promise.resolve(this.#browser);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * Sends the browser a command. Where it does not answer, the platform is asked: only a browser that it has not known
   * for a while is lost, because a lost connection or a busy platform is no lost browser. Whoever asks while a
   * check is under way gets its result.
   */
  check(): Promise<BrowserState> {
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Ends the connection; the browser goes on. */
  disconnect(): void {
    this.#browser?.disconnect();
    this.#browser = undefined;
  }

  async #checkOnce(): Promise<BrowserState> {
    try {
      const browser = await this.connect();
      await browser.ping();
      this.#silentSince = undefined;
      this.#goneSince = undefined;
      return "alive";
    } catch (error) {
      this.disconnect();
      const isGone = await this.#isGone();
      const now = Date.now();
      this.#silentSince ??= now;
      this.#goneSince = isGone ? (this.#goneSince ?? now) : undefined;
      const isLost =
        now - this.#silentSince >= LONGEST_SILENCE_MS ||
        (this.#goneSince !== undefined && now - this.#goneSince >= this.#options.listLagMs);
      logError("session_browser_silent", error, { ...this.#options.identify(), lost: isLost });
      return isLost ? "lost" : "silent";
    }
  }

  async #open(): Promise<RemoteBrowser> {
    const { binding, readRecord, files, downloads, proxy, onVisit, extensions, onDisconnected } =
      this.#options;
    const record = readRecord();
    if (record?.browserId === undefined) throw new Error("The session has no browser");
    const browser = await RemoteBrowser.connect(binding, record.browserId, {
      viewport: record.viewport,
      stealth: record.stealth,
      mainContext: () => readRecord()?.mainContext,
      proxy,
      onVisit,
      extensions: await extensions.load(record),
      files,
      downloads,
      onDisconnected: () => {
        this.#browser = undefined;
        onDisconnected();
      },
    });
    if (readRecord() === undefined) {
      browser.disconnect();
      throw new Error("The session ended while its browser was being connected");
    }
    this.#browser = browser;
    return browser;
  }

  /** Whether the platform says that there is no such browser; false when it cannot be asked. */
  async #isGone(): Promise<boolean> {
    const browserId = this.#options.readRecord()?.browserId;
    try {
      return browserId !== undefined && (await isBrowserGone(this.#options.binding, browserId));
    } catch (error) {
      logError("browser_not_asked_for", error, this.#options.identify());
      return false;
    }
  }
}
