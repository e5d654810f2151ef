import { logError } from "../../lib/common/log.ts";
import type { Computer } from "../computer/index.ts";
import { PING_INTERVAL_MS } from "./constants.ts";
import type { FrameReceiver, RelayedFrame } from "./frame-relay.ts";
import { LiveInput } from "./live-input.ts";
import {
  type ServiceMessage,
  type ViewEndCause,
  type ViewerMessage,
  type ViewMode,
  viewerMessageSchema,
} from "./protocol.ts";

const SILENCE_TIMEOUT_MS = PING_INTERVAL_MS * 2.5;

interface ViewerOptions {
  socket: WebSocket;
  mode: ViewMode;
  /** The handoff that its link was made for. */
  handoff: string | undefined;
  kiosk: boolean;
  computer: Computer;
  /** Called for viewers with control. */
  onHandoffDone: (id: string, note: string) => void;
  onReady: () => void;
  onClosed: () => void;
}

export class Viewer implements FrameReceiver {
  readonly mode: ViewMode;
  readonly handoff: string | undefined;
  readonly #options: ViewerOptions;
  readonly #input: LiveInput | undefined;
  #drawing: number | undefined;
  #frameSize = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };
  #lastMessageAt = Date.now();
  readonly #lastSent = new Map<ServiceMessage["type"], string>();
  #isOpen = true;

  /** @param options.socket accepted. */
  constructor(options: ViewerOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.handoff = options.handoff;
    if (options.mode === "control") {
      this.#input = new LiveInput({
        computer: options.computer,
        kiosk: options.kiosk,
        send: (message) => this.send(message),
      });
    }
    options.socket.addEventListener("message", ({ data }) => this.#handleMessage(data));
    options.socket.addEventListener("close", () => this.#end());
    options.socket.addEventListener("error", () => this.#end());
  }

  get isReady(): boolean {
    return this.#isOpen && this.#drawing === undefined;
  }

  get frameSize(): { width: number; height: number } {
    return this.#frameSize;
  }

  get isSilent(): boolean {
    return Date.now() - this.#lastMessageAt > SILENCE_TIMEOUT_MS;
  }

  receiveFrame(number: number, frame: RelayedFrame): void {
    this.#drawing = number;
    this.#send(frame.message);
  }

  send(message: ServiceMessage): void {
    this.#send(JSON.stringify(message));
  }

  /** Skips a message that equals the last one of its type. */
  sendIfChanged(message: ServiceMessage): void {
    const text = JSON.stringify(message);
    if (this.#lastSent.get(message.type) === text) return;
    this.#lastSent.set(message.type, text);
    this.#send(text);
  }

  /** The viewer's page shows the reason and does not reconnect. */
  end(reason: string, cause: ViewEndCause): void {
    this.send({ type: "ended", cause, reason });
    this.close(1001, reason);
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
      // The socket broke without an event.
      this.#end();
    }
  }

  #handleMessage(data: unknown): void {
    this.#lastMessageAt = Date.now();
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
      case "complete-handoff":
        if (this.#input !== undefined) this.#options.onHandoffDone(message.handoff, message.note);
        return;
      default:
        // Watchers send input only if they bypass the page, so it is ignored.
        this.#input?.handle(message);
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
