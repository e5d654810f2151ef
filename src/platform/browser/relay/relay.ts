import { NOT_OPENED } from "../allowed-urls.ts";
import type { MainContext } from "../contexts/main-context.ts";
import { type ClientCommand, CommandError, type CommandHandler, SERVER_ERROR } from "./client-command.ts";
import { ContextView } from "./context-view.ts";
import { CrashedPages } from "./crashed-pages.ts";
import { type InterceptedCommand, inspectCommand, type Placement } from "./intercepted-methods.ts";
import { RelayCommands } from "./own-commands.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { closeSocket } from "./sockets.ts";

/** Clients count ids up from 1, so they do not collide. */
const PROBE_ID = 2_147_483_647;
const PROBE = JSON.stringify({ id: PROBE_ID, method: "Browser.getVersion" });
const PROBE_ANSWER_START = `{"id":${PROBE_ID},`;

const DOWNLOAD_TEXT = ".download";
const MAX_DOWNLOAD_FRAME_LENGTH = 16_384;

/** Starts of responses; the second responds to a frame that is no command. Events start with their method. */
const ANSWER_STARTS = ['{"id":', '{"error":'];

/** The runtime's message for a frame above its size limit. */
const TOO_LARGE = "statusCode = 1009";

export interface RelayOptions {
  client: WebSocket;
  browser: WebSocket;
  /** Answers some of the client's commands in the browser's place. */
  handler: CommandHandler;
  mainContext: () => MainContext | undefined;
  isPrivate: (contextId: string) => boolean;
  mayOpen: (url: string) => boolean;
  /** Whether the client does not see the target. */
  isSkipped: (targetId: string) => boolean;
  /** Whether the browser answers on another connection. */
  answersOthers: () => Promise<boolean>;
  /** The only page of the connection; undefined if it is to the browser. */
  pageId: string | undefined;
  /** Closes the connection after this long without a frame in either direction. */
  idleMs: number;
  onClosed: (closed: RelayClosed) => void;
}

export interface RelayClosed {
  by: "client" | "browser" | "relay";
  code: number;
  reason: string;
  /** Frames from the client and from the browser. */
  frames: number;
}

/**
 * Forwards frames between one client and the browser, in order. Only a few commands are intercepted.
 *
 * @example
 * ```ts
 * const relay = new Relay({ client, browser, handler, mainContext, isPrivate, mayOpen, isSkipped,
 *   answersOthers, pageId: undefined, idleMs: 600_000, onClosed: ({ by, code }) => log({ by, code }) });
 * relay.close(1001, "the session ended");
 * ```
 */
export class Relay {
  readonly #client: WebSocket;
  readonly #browser: WebSocket;
  readonly #handler: CommandHandler;
  readonly #own = new RelayCommands((frame) => this.#send(this.#browser, frame));
  readonly #mainContext: RelayOptions["mainContext"];
  readonly #answersOthers: RelayOptions["answersOthers"];
  readonly #isPrivate: RelayOptions["isPrivate"];
  readonly #mayOpen: RelayOptions["mayOpen"];
  readonly #pageId: string | undefined;
  readonly #contexts: ContextView;
  readonly #idleMs: number;
  readonly #onClosed: (closed: RelayClosed) => void;
  readonly #crashed = new CrashedPages();
  readonly #silence = new SilenceWatch(Date.now());
  #lastFrameAt = Date.now();
  #unansweredProbes = 0;
  #frames = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: RelayOptions) {
    const { client, browser, handler, mainContext, isPrivate, mayOpen, isSkipped, pageId, idleMs, onClosed } =
      options;
    this.#mainContext = mainContext;
    this.#answersOthers = options.answersOthers;
    this.#isPrivate = isPrivate;
    this.#mayOpen = mayOpen;
    this.#pageId = pageId;
    this.#contexts = new ContextView({
      mainContext,
      isPrivate,
      mayOpen,
      isSkipped,
      send: (method, params, sessionId) => {
        this.#own.ask(method, params, sessionId).catch(() => undefined);
      },
    });
    this.#client = client;
    this.#browser = browser;
    this.#handler = handler;
    this.#idleMs = idleMs;
    this.#onClosed = onClosed;
    client.addEventListener("message", ({ data }) => this.#fromClient(data));
    client.addEventListener("close", ({ code, reason }) => this.#close("client", code, reason));
    client.addEventListener("error", () => this.#close("client", 1006, "connection lost"));
    browser.addEventListener("message", ({ data }) => this.#fromBrowser(data));
    browser.addEventListener("close", ({ code, reason }) => this.#close("browser", code, reason));
    browser.addEventListener("error", ({ message }) => this.#handleBrowserLoss(message));
    this.#watch();
  }

  close(code: number, reason: string): void {
    this.#close("relay", code, reason);
  }

  /** Detaches the client from a target that it must not control. */
  hide(targetId: string): void {
    if (targetId === this.#pageId) this.close(1008, NOT_OPENED);
    else this.#contexts.hide(targetId);
  }

  #handleBrowserLoss(message: string): void {
    if (message.includes(TOO_LARGE))
      this.#close("relay", 1009, "the browser's answer was larger than 32 MiB");
    else this.#close("browser", 1006, "connection to the browser lost");
  }

  #fromClient(data: unknown): void {
    if (this.#closed) return;
    if (typeof data !== "string") {
      this.#close("relay", 1003, "DevTools commands are text frames");
      return;
    }
    const now = Date.now();
    this.#lastFrameAt = now;
    this.#frames += 1;
    const isCrashed = (sessionId: string | undefined) => this.#crashed.has(sessionId);
    const inspected = inspectCommand(data, this.#placement(), isCrashed, this.#mayOpen);
    if ("interception" in inspected) {
      this.#intercept(inspected);
      return;
    }
    this.#sendCommand(inspected.frame);
  }

  #fromBrowser(data: unknown): void {
    if (this.#closed || typeof data !== "string") return;
    const now = Date.now();
    if (this.#unansweredProbes > 0 && data.startsWith(PROBE_ANSWER_START)) {
      this.#unansweredProbes -= 1;
      // A probe does not count as client activity.
      this.#silence.frameReceived(now, { isAnswer: false });
      return;
    }
    this.#lastFrameAt = now;
    this.#frames += 1;
    const isOwn = this.#own.take(data);
    const isAnswer = !isOwn && ANSWER_STARTS.some((start) => data.startsWith(start));
    this.#silence.frameReceived(now, { isAnswer });
    if (isOwn) return;
    this.#crashed.handleFrame(data);
    this.#forward(data);
  }

  #forward(received: string): void {
    const data = this.#contexts.handleFrame(received);
    if (data === undefined) return;
    if (data.length > MAX_DOWNLOAD_FRAME_LENGTH || !data.includes(DOWNLOAD_TEXT)) {
      this.#send(this.#client, data);
      return;
    }
    const forwarded = this.#handler.handleFrame(data);
    if (typeof forwarded === "string") this.#send(this.#client, forwarded);
    else void forwarded?.then((frame) => this.#send(this.#client, frame));
  }

  #placement(): Placement | undefined {
    const context = this.#mainContext();
    if (context === undefined) return undefined;
    const isOfBrowser = (sessionId: string | undefined) =>
      sessionId === undefined ? this.#pageId === undefined : this.#contexts.isOfBrowser(sessionId);
    return { context, isPrivate: this.#isPrivate, isOfBrowser };
  }

  #intercept({ interception, id, sessionId }: InterceptedCommand): void {
    switch (interception.action) {
      case "serve":
        void this.#serve(interception.command, id);
        return;
      case "refuse":
        this.#refuse({ id, sessionId }, new CommandError(SERVER_ERROR, interception.message));
        return;
      case "close-client":
        this.#answer({ id, result: {}, sessionId });
        this.#close("relay", 1000, "closed by the client; the session continues");
    }
  }

  async #serve(command: ClientCommand, id: number | undefined): Promise<void> {
    const { sessionId } = command;
    try {
      const outcome = await this.#handler.serve(command, (method, params) =>
        this.#own.ask(method, params, sessionId),
      );
      if ("result" in outcome) this.#answer({ id, result: outcome.result, sessionId });
      else this.#sendCommand(JSON.stringify({ id, ...outcome, sessionId }));
    } catch (error) {
      const refusal =
        error instanceof CommandError ? error : new CommandError(SERVER_ERROR, "Internal error");
      this.#refuse({ id, sessionId }, refusal);
    }
  }

  #refuse(command: { id?: number; sessionId?: string }, { code, message }: CommandError): void {
    this.#answer({ id: command.id, error: { code, message }, sessionId: command.sessionId });
  }

  #sendCommand(frame: string): void {
    this.#silence.commandSent(Date.now());
    this.#send(this.#browser, frame);
  }

  #answer(answer: object): void {
    this.#send(this.#client, JSON.stringify(answer));
  }

  #send(socket: WebSocket, frame: string): void {
    try {
      socket.send(frame);
    } catch {
      // The socket has closed. Its close event will end the relay.
    }
  }

  #watch(): void {
    const now = Date.now();
    const idleRemaining = this.#lastFrameAt + this.#idleMs - now;
    if (idleRemaining <= 0) {
      this.#close("relay", 1001, "no frame for too long");
      return;
    }
    const verdict = this.#silence.check(now);
    if (verdict.action === "give-up") {
      void this.#decideLoss();
      return;
    }
    if (verdict.action === "probe") {
      this.#unansweredProbes += 1;
      this.#send(this.#browser, PROBE);
    }
    const wait = verdict.action === "wait" ? Math.min(verdict.ms, idleRemaining) : 0;
    this.#timer = setTimeout(() => this.#watch(), wait);
  }

  /** A browser that answers nobody is stopped or busy; one that answers others lost this client's answer. */
  async #decideLoss(): Promise<void> {
    const answersOthers = await this.#answersOthers();
    if (this.#closed) return;
    if (answersOthers && this.#silence.isProbing) {
      this.#close("relay", 1009, "the browser's answer was lost: probably larger than 32 MiB");
      return;
    }
    this.#silence.startAgain(Date.now());
    this.#watch();
  }

  #close(by: RelayClosed["by"], code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    closeSocket(this.#client, code, reason);
    closeSocket(this.#browser, 1000);
    this.#onClosed({ by, code, reason, frames: this.#frames });
  }
}
