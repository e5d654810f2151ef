import { logError } from "../common/log.ts";
import type { Computer } from "../computer/index.ts";
import { PING_INTERVAL_MS } from "./constants.ts";
import type { FrameTaker } from "./frame-relay.ts";
import { LiveInput } from "./live-input.ts";
import { type ServiceMessage, type ViewerMessage, type ViewMode, viewerMessageSchema } from "./protocol.ts";

/** A viewer that is not heard for as long has gone without a word. */
const SILENCE_LIMIT_MS = PING_INTERVAL_MS * 2.5;

interface ViewerOptions {
  socket: WebSocket;
  mode: ViewMode;
  /** Without tab strip and address bar: their commands are refused. */
  kiosk: boolean;
  computer: Computer;
  /** Called when it can take one more frame, or other frames than before. */
  onReady: () => void;
  onClosed: () => void;
}

/** One person at a session's live view: what is sent to their page, and what it may do. */
export class Viewer implements FrameTaker {
  readonly mode: ViewMode;
  readonly #options: ViewerOptions;
  readonly #input: LiveInput | undefined;
  /** The frame that its page is drawing. */
  #drawing: number | undefined;
  #frameSize = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };
  #heardAt = Date.now();
  /** What it was told last of each kind of news. */
  readonly #told = new Map<ServiceMessage["type"], string>();
  #isOpen = true;

  /** @param options.socket is accepted. */
  constructor(options: ViewerOptions) {
    this.#options = options;
    this.mode = options.mode;
    if (options.mode === "control") {
      this.#input = new LiveInput({
        computer: options.computer,
        kiosk: options.kiosk,
        send: (message) => this.send(message),
      });
    }
    options.socket.addEventListener("message", ({ data }) => this.#hear(data));
    options.socket.addEventListener("close", () => this.#end());
    options.socket.addEventListener("error", () => this.#end());
  }

  get isReady(): boolean {
    return this.#isOpen && this.#drawing === undefined;
  }

  /** Largest size that frames need to have for this viewer, in pixels. */
  get frameSize(): { width: number; height: number } {
    return this.#frameSize;
  }

  get isSilent(): boolean {
    return Date.now() - this.#heardAt > SILENCE_LIMIT_MS;
  }

  takeFrame(number: number, message: Uint8Array): void {
    this.#drawing = number;
    this.#send(message);
  }

  send(message: ServiceMessage): void {
    this.#send(JSON.stringify(message));
  }

  /** Sends how things are, unless that is what it was told last. */
  tell(message: ServiceMessage): void {
    const text = JSON.stringify(message);
    if (this.#told.get(message.type) === text) return;
    this.#told.set(message.type, text);
    this.#send(text);
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#options.socket.close(code, reason);
    this.#end();
  }

  #send(message: string | Uint8Array): void {
    if (!this.#isOpen) return;
    try {
      this.#options.socket.send(message);
    } catch {
      // It broke without an event so far.
      this.#end();
    }
  }

  #hear(data: unknown): void {
    this.#heardAt = Date.now();
    const message = readMessage(data);
    if (message === undefined) {
      this.close(1008, "not a message of a live view");
      return;
    }
    switch (message.type) {
      case "ping":
        this.send({ type: "pong" });
        return;
      case "frame-drawn":
        if (this.#drawing === undefined || message.frame < this.#drawing) return;
        this.#drawing = undefined;
        this.#options.onReady();
        return;
      case "frame-size":
        this.#frameSize = { width: message.width, height: message.height };
        this.#options.onReady();
        return;
      default:
        // The page of a mere watcher sends none of these; who sends them by other means is not heard.
        this.#input?.take(message);
    }
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input?.end().catch((error) => logError("live_input_not_released", error));
    this.#options.onClosed();
  }
}

function readMessage(data: unknown): ViewerMessage | undefined {
  if (typeof data !== "string") return undefined;
  try {
    return viewerMessageSchema.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}
