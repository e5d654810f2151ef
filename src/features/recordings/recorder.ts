import { pause, resolveWithin } from "../../lib/common/concurrency.ts";
import { logError } from "../../lib/common/log.ts";
import type { Chapter } from "../../lib/database/schema/replays.ts";
import type { PageObject, RemoteBrowser, Tab } from "../../platform/browser/index.ts";
import { encodeVideo } from "../../platform/page-scripts/bundled.js";
import type { VideoEncoding, VideoSize } from "../../platform/page-scripts/video-encoding.ts";
import { drawingOfDialog } from "../computer/index.ts";
import type { FrontScreencast, RelayedFrame, ScreencastUser } from "../live-view/index.ts";
import { addChapter } from "./chapters.ts";
import type { RecordingFiles } from "./recording-files.ts";

/** Together with the time that storing takes, a crash loses at most 5 seconds. */
const STORE_INTERVAL_MS = 3000;

/** How long the end waits for the last pictures. */
const FLUSH_TIMEOUT_MS = 900;

/** Timers are not exact. */
const TIMER_TOLERANCE_MS = 10;

const QUOTA_REACHED = "the organization's storage is full (MAX_STORED_MEBIBYTES)";
const BROWSER_LOST = "the connection to the browser was lost";

/** Whether a recording ended with the connection to the browser. */
export function endedByLoss({ note }: { note: string | null }): boolean {
  return note?.startsWith(BROWSER_LOST) ?? false;
}

interface RecorderOptions {
  screencast: FrontScreencast;
  size: VideoSize;
  maxDurationMs: number;
  files: RecordingFiles;
  /** Called every few seconds, and when the recording has ended. */
  onProgress: () => void;
}

/** A page that encodes a video until it is closed. */
export interface EncoderPage {
  encoding: PageObject<VideoEncoding>;
  close: () => void;
}

/** @throws when the browser cannot encode video. */
export async function openEncoder(browser: RemoteBrowser, size: VideoSize): Promise<EncoderPage> {
  const opened = Promise.withResolvers<PageObject<VideoEncoding>>();
  const closed = Promise.withResolvers<void>();
  const work = browser.withSecurePage(async (page) => {
    opened.resolve(await page.create(encodeVideo, size));
    await closed.promise;
  });
  work.catch(opened.reject);
  return { encoding: await opened.promise, close: closed.resolve };
}

/** A recording of the tab in front. It begins at once. */
export class Recorder implements ScreencastUser {
  readonly chapters: Chapter[] = [];
  readonly receivers = [this];
  readonly #options: RecorderOptions;
  readonly #page: EncoderPage;
  readonly #use: Disposable;
  readonly #startedAt = Date.now();
  #endedAt: number | undefined;
  #lastAnswerAt = this.#startedAt;
  #reason: string | undefined;
  #drawing: Promise<unknown> | undefined;
  #isBusy = false;
  #timer: number | null = null;
  #storing: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #lastTime = -1;
  #pageWidth: number | undefined;
  #front: Tab | undefined;
  #drawnDialog: number | undefined;

  constructor(page: EncoderPage, options: RecorderOptions) {
    this.#page = page;
    this.#options = options;
    this.#use = options.screencast.use(this);
    this.#scheduleStore();
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Whether it ended because the connection to the browser was lost. */
  get isLost(): boolean {
    return this.#reason === BROWSER_LOST;
  }

  /** Its length so far, in milliseconds. */
  get durationMs(): number {
    return (this.#endedAt ?? Date.now()) - this.#startedAt;
  }

  /** Why it ended early, and what is missing. */
  get note(): string | null {
    const lost = this.#options.files.lostMs(this.durationMs);
    const loss = `${Math.ceil(lost / 1000)} s are missing, because the storage did not answer`;
    return [this.#reason ?? [], lost > 0 ? loss : []].flat().join("; ") || null;
  }

  get frameRate(): number {
    return this.#options.size.framerate;
  }

  get frameWidth(): number {
    return this.#options.size.width;
  }

  get isReady(): boolean {
    return !this.#isBusy && this.#ending === undefined;
  }

  receiveFrame(_number: number, { content }: RelayedFrame): void {
    this.#pageWidth = content.pageWidth;
    this.#draw(content.pageWidth, content.data);
  }

  async observe(_browser: RemoteBrowser, front: Tab | undefined): Promise<void> {
    this.#front = front;
    if (front === undefined) return;
    addChapter(this.chapters, { time: this.durationMs, url: front.url, title: front.title });
    // A dialog blocks the page, so no frame shows it.
    const isDrawn = front.dialog?.id === this.#drawnDialog;
    if (!isDrawn && this.isReady && this.#pageWidth !== undefined) this.#draw(this.#pageWidth);
  }

  /** Stores the last pictures, within a second. @param reason why it ends early. */
  end(reason?: string): Promise<void> {
    if (this.#ending === undefined) {
      this.#reason = reason;
      this.#ending = this.#end();
    }
    return this.#ending;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#use[Symbol.dispose]();
    const flushed = this.#flush().catch((error) => logError("recording_not_flushed", error));
    await resolveWithin(flushed, FLUSH_TIMEOUT_MS);
    this.#endedAt = this.#reason === BROWSER_LOST ? this.#lastAnswerAt : Date.now();
    this.#page.close();
    this.#options.onProgress();
  }

  async #flush(): Promise<void> {
    await this.#drawing;
    await this.#storing;
    await this.#take().catch(() => {
      this.#reason ??= BROWSER_LOST;
    });
    await this.#options.files.store();
  }

  /** @param picture undefined: the last one. */
  #draw(pageWidth: number, picture?: string): void {
    const dialog = this.#front?.dialog;
    this.#drawnDialog = dialog?.id;
    this.#lastTime = Math.max(this.durationMs, this.#lastTime + 1);
    const box = dialog && drawingOfDialog(dialog, pageWidth);
    this.#isBusy = true;
    const drawn = this.#page.encoding.call("draw", this.#lastTime, picture, pageWidth, box).catch(() => {
      void this.end(BROWSER_LOST);
      return 0;
    });
    this.#drawing = drawn;
    const interval = 1000 / this.#options.size.framerate - TIMER_TOLERANCE_MS;
    void Promise.all([drawn.then(pause), pause(interval)]).then(() => {
      this.#isBusy = false;
      this.#options.screencast.pump();
    });
  }

  #scheduleStore(): void {
    const remaining = this.#options.maxDurationMs - this.durationMs;
    const isLast = remaining <= STORE_INTERVAL_MS;
    this.#timer = setTimeout(
      () => {
        if (isLast) void this.end();
        else this.#storing = this.#storeAndContinue();
      },
      isLast ? remaining : STORE_INTERVAL_MS,
    );
  }

  async #storeAndContinue(): Promise<void> {
    const { files, onProgress } = this.#options;
    try {
      await this.#take();
    } catch {
      void this.end(BROWSER_LOST);
      return;
    }
    await files.store().catch((error) => logError("recording_not_stored", error));
    onProgress();
    if (files.isFull) void this.end(QUOTA_REACHED);
    else if (this.#ending === undefined) this.#scheduleStore();
  }

  /** @throws when the browser does not answer. */
  async #take(): Promise<void> {
    const video = await this.#page.encoding.call("take");
    this.#lastAnswerAt = Date.now();
    if (!this.hasEnded) this.#options.files.append(video);
  }
}
