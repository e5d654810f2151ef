import { closeSocket } from "../browser/index.ts";
import { type BidiCommand, type BidiMessage, commandSchema, Mapper } from "./mapper.ts";

const MAX_MESSAGE_LENGTH = 16 * 1024 * 1024;
const MAX_UNANSWERED = 1000;

/** Clients do not use negative ids. */
const OWN_ID = -1;

export interface BidiConnectionOptions {
  /** Both sockets are accepted. */
  client: WebSocket;
  browser: WebSocket;
  sessionId: string;
  /** Capabilities of the session that exists already; absent: the client begins one with `session.new`. */
  begun?: object;
}

/** Serves one client's WebDriver BiDi connection with a mapper of its own. Each of its sockets ends the other. */
export class BidiConnection {
  readonly #client: WebSocket;
  readonly #browser: WebSocket;
  readonly #sessionId: string;
  readonly #unanswered = new Set<number>();
  #mapper: Promise<Mapper> | undefined;
  #newSessionId: number | undefined;

  constructor({ client, browser, sessionId, begun }: BidiConnectionOptions) {
    this.#client = client;
    this.#browser = browser;
    this.#sessionId = sessionId;
    client.addEventListener("message", ({ data }) => this.#fromClient(data));
    client.addEventListener("close", () => closeSocket(browser));
    client.addEventListener("error", () => closeSocket(browser));
    browser.addEventListener("close", ({ code, reason }) => closeSocket(client, code, reason));
    browser.addEventListener("error", () => closeSocket(client, 1011, "connection to the browser lost"));
    if (begun !== undefined) {
      const params = { capabilities: { alwaysMatch: begun } };
      this.#begin(commandSchema.parse({ id: OWN_ID, method: "session.new", params }));
    }
  }

  #fromClient(data: unknown): void {
    if (typeof data !== "string") return this.#close(1003, "BiDi messages are text frames");
    if (data.length > MAX_MESSAGE_LENGTH) return this.#close(1009, "the message is larger than 16 MiB");
    const command = parseCommand(data);
    if (command === undefined) {
      return this.#send({
        type: "error",
        id: null,
        error: "invalid argument",
        message: "not a BiDi command",
      });
    }
    if (this.#unanswered.size >= MAX_UNANSWERED) return this.#close(1008, "too many unanswered commands");
    switch (command.method) {
      case "session.status":
        return this.#answer(command, { ready: this.#mapper === undefined, message: "" });
      case "session.new":
        if (this.#mapper === undefined) return this.#begin(command);
        return this.#refuse(command.id, "session not created", "this connection has a session already");
      case "session.end":
        if (this.#mapper === undefined) break;
        this.#answer(command, {});
        return this.#close(1000, "the session ended");
    }
    if (this.#mapper === undefined) {
      return this.#refuse(command.id, "invalid session id", "begin a session with session.new first");
    }
    void this.#forward(this.#mapper, command);
  }

  #begin(command: BidiCommand): void {
    this.#newSessionId = command.id;
    this.#mapper = Mapper.start(this.#browser, (message) => this.#fromMapper(message));
    void this.#forward(this.#mapper, command);
  }

  async #forward(starting: Promise<Mapper>, command: BidiCommand): Promise<void> {
    this.#unanswered.add(command.id);
    try {
      (await starting).receive(command);
    } catch {
      this.#close(1011, "the browser does not answer");
    }
  }

  #fromMapper(message: BidiMessage): void {
    if ("id" in message && message.id !== null) {
      this.#unanswered.delete(message.id);
      if (message.id === OWN_ID) return;
      if (message.id === this.#newSessionId && message.type === "success") {
        const { result } = message;
        return this.#send({ ...message, result: { ...result, sessionId: this.#sessionId } });
      }
    }
    this.#send(message);
  }

  #answer({ id }: BidiCommand, result: object): void {
    this.#send({ type: "success", id, result });
  }

  #refuse(id: number, error: string, message: string): void {
    this.#send({ type: "error", id, error, message });
  }

  #send(message: object): void {
    if (this.#client.readyState === WebSocket.OPEN) this.#client.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    closeSocket(this.#client, code, reason);
    closeSocket(this.#browser);
  }
}

function parseCommand(text: string): BidiCommand | undefined {
  try {
    return commandSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
