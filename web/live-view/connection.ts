import { PING_INTERVAL_MS } from "../../src/features/live-view/constants.ts";
import type { ServiceMessage, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import type { ConnectionState } from "./notice.ts";
import { reconnectDelay } from "./reconnect.ts";

const TICK_MS = PING_INTERVAL_MS / 2;
/** 2.5 ping intervals, counted in ticks because a hidden tab's timers fire late and all at once. */
const SILENT_TICKS = 5;
/** After this time a connection counts as stable and resets the retry delay. */
const STABLE_AFTER_MS = 10_000;

export interface ConnectionOptions {
  url: string;
  onState: (state: ConnectionState) => void;
  onMessage: (message: ServiceMessage) => void;
  onPicture: (message: ArrayBuffer) => void;
}

/** Reconnects until the service ends the session. */
export class Connection {
  readonly #options: ConnectionOptions;
  #state: ConnectionState = "connecting";
  #socket: WebSocket | undefined;
  #liveSince = 0;
  #failedAttempts = 0;
  #ticks = 0;
  #silentTicks = 0;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    window.addEventListener("online", () => this.#connectNow());
    document.addEventListener("visibilitychange", () => this.#connectNow());
    this.#open();
  }

  get isLive(): boolean {
    return this.#state === "live";
  }

  /** Dropped while disconnected, because late input could hit another page. */
  send(message: ViewerMessage): void {
    if (this.isLive) this.#socket?.send(JSON.stringify(message));
  }

  #open(): void {
    clearTimeout(this.#retry);
    const socket = new WebSocket(this.#options.url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#silentTicks = 0;
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (socket === this.#socket) this.#receive(data);
    });
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#lose();
    });
  }

  #receive(data: unknown): void {
    this.#silentTicks = 0;
    if (data instanceof ArrayBuffer) this.#options.onPicture(data);
    if (typeof data !== "string") return;
    const message: ServiceMessage = JSON.parse(data);
    if (message.type === "welcome") {
      this.#liveSince = Date.now();
      this.#setState("live");
    }
    if (message.type === "ended") this.#abandon();
    this.#options.onMessage(message);
    if (message.type === "ended") this.#setState("ended");
  }

  #tick(): void {
    this.#ticks++;
    this.#silentTicks++;
    if (this.#silentTicks >= SILENT_TICKS) this.#lose();
    else if (this.#ticks % 2 === 0) this.send({ type: "ping" });
  }

  #lose(): void {
    const wasProven = this.isLive && Date.now() - this.#liveSince >= STABLE_AFTER_MS;
    this.#failedAttempts = wasProven ? 0 : this.#failedAttempts + 1;
    this.#abandon();
    this.#retry = setTimeout(
      () => {
        // A viewer keeps the session in use, so a hidden tab does not reconnect.
        if (!document.hidden) this.#open();
      },
      reconnectDelay(this.#failedAttempts, Math.random()),
    );
    this.#setState("lost");
  }

  #connectNow(): void {
    if (this.#state === "lost" && this.#socket === undefined && !document.hidden) this.#open();
  }

  /** The close event comes late when the network is gone. */
  #abandon(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearInterval(this.#ticker);
    socket?.close();
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
