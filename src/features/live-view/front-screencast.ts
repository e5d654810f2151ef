import { type LogFields, logError } from "../../lib/common/log.ts";
import { type RemoteBrowser, Screencast, type Tab } from "../../platform/browser/index.ts";
import { type FrameReceiver, FrameRelay } from "./frame-relay.ts";

/** The browser does not report changes of the front tab. */
const CHECK_INTERVAL_MS = 500;
const RETRY_INTERVAL_MS = 2000;

const MIN_CHECK_INTERVAL_MS = 100;

const RESIZE_INTERVAL_MS = 1000;

/** Up to this rate, a screencast that pauses between frames slows clients less. */
const MAX_SLOW_FRAME_RATE = 10;

interface FrontScreencastOptions {
  connect: () => Promise<RemoteBrowser>;
  /** JPEG quality, 1 to 100. */
  quality: () => number;
  identify: () => LogFields;
}

/** All properties are read again for each frame or check. */
export interface ScreencastUser {
  readonly receivers: Iterable<FrameReceiver>;
  readonly frameRate: number;
  /** The width that it needs, in pixels. */
  readonly frameWidth: number;
  /** Called every half second, and soon after changes of tabs. */
  observe(browser: RemoteBrowser, front: Tab | undefined): Promise<void>;
}

interface ActiveScreencast {
  browser: RemoteBrowser;
  tab: Tab;
  maxWidth: number;
  startedAt: number;
  screencast: Screencast;
}

/**
 * The screencast of a session's front tab. It runs only while it has users, who share it.
 *
 * @example
 * ```ts
 * using _use = screencast.use(recorder);
 * ```
 */
export class FrontScreencast {
  readonly #options: FrontScreencastOptions;
  readonly #users = new Set<ScreencastUser>();
  readonly #frames: FrameRelay;
  #cast: ActiveScreencast | undefined;
  #following: { browser: RemoteBrowser; subscription: Disposable } | undefined;
  #checking: Promise<void> | undefined;
  #mustCheckAgain = false;
  #timer: number | null = null;
  #checkedAt = 0;
  #mustRestart = false;

  constructor(options: FrontScreencastOptions) {
    this.#options = options;
    const users = this.#users;
    const receivers = {
      *[Symbol.iterator]() {
        for (const user of users) yield* user.receivers;
      },
    };
    this.#frames = new FrameRelay(receivers, 1, () => {
      // A paused screencast begins with the present picture.
      if (!this.#isSlow) this.#restart();
    });
  }

  use(user: ScreencastUser): Disposable {
    this.#users.add(user);
    this.check();
    return {
      [Symbol.dispose]: () => {
        this.#users.delete(user);
        if (this.#users.size === 0) this.#stop();
      },
    };
  }

  /** Soon looks at the browser's tabs again. */
  check(): void {
    this.#mustCheckAgain = this.#checking !== undefined;
    if (this.#checking !== undefined || this.#users.size === 0) return;
    this.#checkAfter(Math.max(0, this.#checkedAt + MIN_CHECK_INTERVAL_MS - Date.now()));
  }

  /** Announces that a receiver is ready, or that a user needs another width. */
  pump(): void {
    this.#frames.pump();
    if (this.#cast !== undefined && this.#hasOtherWidth(this.#cast)) this.check();
  }

  #checkAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#checkedAt = Date.now();
      this.#checking = this.#checkOnce()
        .then(() => this.#scheduleNextCheck(CHECK_INTERVAL_MS))
        .catch((error) => {
          logError("screencast_failed", error, this.#options.identify());
          this.#scheduleNextCheck(RETRY_INTERVAL_MS);
        });
    }, milliseconds);
  }

  #scheduleNextCheck(interval: number): void {
    this.#checking = undefined;
    if (this.#users.size === 0) this.#stop();
    else if (this.#mustCheckAgain) this.check();
    else this.#checkAfter(interval);
  }

  async #checkOnce(): Promise<void> {
    const browser = await this.#options.connect();
    this.#follow(browser);
    const [tab] = await Promise.all([browser.tabs.findFront(), browser.tabs.readTitles()]);
    await Promise.all([...this.#users].map((user) => user.observe(browser, tab)));
    await this.#showTab(browser, tab);
  }

  #follow(browser: RemoteBrowser): void {
    if (this.#following?.browser === browser) return;
    this.#following?.subscription[Symbol.dispose]();
    this.#following = { browser, subscription: browser.tabs.onChange(() => this.check()) };
  }

  async #showTab(browser: RemoteBrowser, tab: Tab | undefined): Promise<void> {
    this.#frames.refreshRate = this.#frameRate();
    const cast = this.#cast;
    const isCast = cast?.browser === browser && cast.tab === tab;
    if (isCast && !this.#mustRestart && !this.#hasOtherWidth(cast)) return;
    this.#mustRestart = false;
    await this.#stopScreencast();
    if (tab === undefined || tab.hasCrashed || this.#users.size === 0) return;
    const maxWidth = this.#frameWidth();
    const screencast = await Screencast.start(tab.session, {
      format: { format: "jpeg", quality: this.#options.quality(), maxWidth, maxHeight: maxWidth },
      intervalMs: () => (this.#isSlow ? 1000 / this.#frameRate() : 0),
      onFrame: (frame, acknowledge) => this.#frames.handleFrame(frame, acknowledge),
      onLost: () => this.#restart(),
    });
    this.#cast = { browser, tab, maxWidth, startedAt: Date.now(), screencast };
  }

  #restart(): void {
    this.#mustRestart = true;
    this.check();
  }

  async #stopScreencast(): Promise<void> {
    const cast = this.#cast;
    this.#cast = undefined;
    this.#frames.reset();
    await cast?.screencast.stop();
  }

  get #isSlow(): boolean {
    return this.#frameRate() <= MAX_SLOW_FRAME_RATE;
  }

  #frameRate(): number {
    return Math.max(1, ...[...this.#users].map(({ frameRate }) => frameRate));
  }

  #frameWidth(): number {
    return Math.max(1, ...[...this.#users].map(({ frameWidth }) => frameWidth));
  }

  #hasOtherWidth(cast: ActiveScreencast): boolean {
    return cast.maxWidth !== this.#frameWidth() && Date.now() - cast.startedAt >= RESIZE_INTERVAL_MS;
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
