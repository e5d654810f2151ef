import { sharing, tryWithin } from "../../../lib/common/concurrency.ts";
import { logError } from "../../../lib/common/log.ts";
import type { Evidence } from "../../../lib/database/schema/browser-sessions.ts";
import type { RemoteBrowser, ScreencastFormat } from "../../../platform/browser/index.ts";
import { redactURL } from "../../telemetry/index.ts";
import type { Snapshot } from "../record.ts";
import type { SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

const LAST_PICTURE_TIMEOUT_MS = 1000;
const PICTURE_TIMEOUT_MS = 2000;

/** When a visited page has probably painted. */
const PAINT_DELAY_MS = 2000;
const MIN_INTERVAL_MS = 10_000;

const PICTURE_FORMAT = { format: "jpeg", quality: 60, maxWidth: 1280, maxHeight: 1280 } as const;

/** A capture of a thumbnail takes the browser a few milliseconds, however many viewers ask. */
const THUMBNAIL_INTERVAL_MS = 3000;

const THUMBNAIL_FORMAT = { format: "jpeg", quality: 60, maxWidth: 320, maxHeight: 320 } as const;

/** Pages can be hostile. */
const MAX_TABS = 50;
const MAX_TITLE_LENGTH = 200;

/** Keeps what a session's tabs last showed, to be read after its end. */
export class Snapshots {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  #timer: number | null = null;
  #takenAt = 0;
  #thumbnail: { at: number; picture: Uint8Array<ArrayBuffer> | undefined } | undefined;

  constructor(scope: ConnectionScope, browser: SessionBrowser) {
    this.#scope = scope;
    this.#browser = browser;
  }

  /** Takes a snapshot once a visited page has painted. */
  takeSoon(): void {
    if (!this.#isWanted || this.#timer !== null) return;
    const delay = Math.max(PAINT_DELAY_MS, this.#takenAt + MIN_INTERVAL_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#scope.state.inBackground("snapshot_failed", this.take());
    }, delay);
  }

  async take(): Promise<void> {
    const browser = this.#browser.connected;
    if (!this.#isWanted || browser === undefined) return;
    this.#takenAt = Date.now();
    const snapshot = await takeSnapshot(browser, PICTURE_TIMEOUT_MS);
    if (this.#isWanted) this.#store(snapshot);
  }

  /** What the session shows as it ends. Never fails. @returns undefined if nothing new is kept. */
  async takeLast(): Promise<Evidence | undefined> {
    this.close();
    const { settings, identity } = this.#scope.state;
    const browser = this.#browser.connected;
    if (!settings.keepsEvidence || browser === undefined) return undefined;
    try {
      this.#store(await takeSnapshot(browser, LAST_PICTURE_TIMEOUT_MS));
    } catch (error) {
      logError("snapshot_failed", error, identity);
    }
    return this.last;
  }

  /** What is known without asking the browser. Undefined if it is not kept. */
  get last(): Evidence | undefined {
    const { settings, storage } = this.#scope.state;
    if (!settings.keepsEvidence) return undefined;
    const last = storage.readSnapshot();
    const browser = this.#browser.connected;
    const tabs = browser === undefined ? (last?.tabs ?? []) : describeTabs(browser);
    return { tabs, screenshotAt: last?.picture === undefined ? null : last.at };
  }

  /** A small picture, a few seconds old at most. Undefined if the browser shows or answers nothing. */
  async readThumbnail(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const isFresh = Date.now() - (this.#thumbnail?.at ?? 0) < THUMBNAIL_INTERVAL_MS;
    if (!isFresh) await this.#takeThumbnail();
    return this.#thumbnail?.picture;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly #takeThumbnail = sharing(async () => {
    const browser = this.#browser.connected;
    const data = browser && (await tryWithin(capture(browser, THUMBNAIL_FORMAT), PICTURE_TIMEOUT_MS));
    const picture = data === undefined ? undefined : Uint8Array.fromBase64(data);
    this.#thumbnail = { at: Date.now(), picture };
  });

  get #isWanted(): boolean {
    return this.#scope.record?.phase === "active" && this.#scope.state.settings.keepsEvidence;
  }

  /** Without a new picture, the last one stays, with its time. */
  #store(snapshot: Snapshot): void {
    const { storage } = this.#scope.state;
    const before = storage.readSnapshot();
    const kept = snapshot.picture === undefined && before?.picture !== undefined;
    storage.writeSnapshot(kept ? { ...before, tabs: snapshot.tabs } : snapshot);
  }
}

async function takeSnapshot(browser: RemoteBrowser, timeoutMs: number): Promise<Snapshot> {
  const works = Promise.all([capture(browser, PICTURE_FORMAT), browser.tabs.readTitles()]);
  const [data] = (await tryWithin(works, timeoutMs)) ?? [];
  const tabs = describeTabs(browser);
  return { at: Date.now(), tabs, picture: data === undefined ? undefined : Uint8Array.fromBase64(data) };
}

function describeTabs(browser: RemoteBrowser): Evidence["tabs"] {
  return browser.tabs
    .all()
    .slice(0, MAX_TABS)
    .map(({ url, title }) => ({ url: redactURL(url), title: title.slice(0, MAX_TITLE_LENGTH) }));
}

async function capture(browser: RemoteBrowser, format: ScreencastFormat): Promise<string | undefined> {
  const front = await browser.tabs.findFront();
  return front === undefined || front.hasCrashed ? undefined : browser.captureLastPicture(front, format);
}
