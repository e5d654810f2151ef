import { closeSocket } from "../../platform/browser/index.ts";
import { type BidiCommand, commandSchema, startMapper } from "./mapper.ts";

const MAX_MESSAGE_LENGTH = 16 * 1024 * 1024;

/** Clients do not use negative ids. */
const OWN_ID = -1;

type Mapping = ReturnType<typeof startMapper>;

/** A client's BiDi connection with its own mapper. When one of its sockets closes, so does the other. */
export class BidiConnection {
  readonly #client: WebSocket;
  readonly #browser: WebSocket;
  #mapper: Mapping | undefined;

  /**
   * @param client and browser are accepted sockets.
   * @param begun capabilities of the session that exists already; absent: the client begins one with
   * `session.new`.
   */
  constructor(client: WebSocket, browser: WebSocket, begun?: object) {
    this.#client = client;
    this.#browser = browser;
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
    if (typeof data !== "string") this.#close(1003, "BiDi messages are text frames");
    else if (data.length > MAX_MESSAGE_LENGTH) this.#close(1009, "the message is larger than 16 MiB");
    else this.#serve(parseCommand(data));
  }

  #serve(command: BidiCommand | undefined): void {
    const mapper = this.#mapper;
    if (command === undefined) this.#refuse(null, "invalid argument", "not a BiDi command");
    else if (command.method === "session.status" && mapper === undefined) {
      this.#send({ type: "success", id: command.id, result: { ready: true, message: "" } });
    } else if (command.method === "session.new") {
      if (mapper === undefined) this.#begin(command);
      else this.#refuse(command.id, "session not created", "this connection has a session already");
    } else if (mapper === undefined) {
      this.#refuse(command.id, "invalid session id", "begin a session with session.new first");
    } else if (command.method === "session.end") {
      this.#send({ type: "success", id: command.id, result: {} });
      this.#close(1000, "the session ended");
    } else void this.#forward(mapper, command);
  }

  #begin(command: BidiCommand): void {
    this.#mapper = startMapper(this.#browser, (message) => {
      if (!("id" in message) || message.id !== OWN_ID) this.#send(message);
    });
    void this.#forward(this.#mapper, command);
  }

  async #forward(starting: Mapping, command: BidiCommand): Promise<void> {
    try {
      (await starting)(command);
    } catch {
      this.#close(1011, "the browser does not answer");
    }
  }

  #refuse(id: number | null, error: string, message: string): void {
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
