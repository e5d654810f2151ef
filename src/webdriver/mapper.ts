import type { ChromiumBidi } from "chromium-bidi/out/Default/gen/src/protocol/protocol.js";
import { z } from "zod";
import { closeSocket } from "../browser/index.ts";
import { isRecord } from "../common/is-record.ts";

/** The mapper validates the parameters. */
export const commandSchema = z.custom<ChromiumBidi.Command>(
  (value) =>
    isRecord(value) &&
    Number.isSafeInteger(value.id) &&
    typeof value.method === "string" &&
    isRecord(value.params),
);

export type BidiCommand = z.infer<typeof commandSchema>;
export type BidiMessage = ChromiumBidi.Message;

/** Translates WebDriver BiDi to DevTools commands. It owns its DevTools socket, which ends it. */
export class Mapper {
  readonly #socket: WebSocket;
  readonly #receive: (command: BidiCommand) => void;

  private constructor(socket: WebSocket, receive: (command: BidiCommand) => void) {
    this.#socket = socket;
    this.#receive = receive;
  }

  /** @throws when the browser does not answer. */
  static async start(socket: WebSocket, onMessage: (message: BidiMessage) => void): Promise<Mapper> {
    // Loaded at the first use, because its schemas would make every start of the Worker slow.
    const { BidiParser, BidiServer, MapperCdpConnection } = await import("./chromium-bidi.ts");
    const connection = new MapperCdpConnection({
      setOnMessage: (handle) => {
        socket.addEventListener("message", ({ data }) => {
          if (typeof data === "string") void handle(data);
        });
      },
      sendMessage: (message) => {
        // Nothing waits for commands that come after the close.
        if (socket.readyState === WebSocket.OPEN) socket.send(message);
      },
      close: () => closeSocket(socket),
    });
    socket.addEventListener("close", () => connection.close());
    let receive: ((command: BidiCommand) => void) | undefined;
    const transport = {
      setOnMessage: (handler: (command: BidiCommand) => void) => {
        receive = handler;
      },
      sendMessage: onMessage,
      close: () => undefined,
    };
    try {
      const session = await connection.createBrowserSession();
      await BidiServer.createAndStart(transport, connection, session, "", new BidiParser());
      if (receive === undefined) throw new Error("The mapper takes no commands");
      return new Mapper(socket, receive);
    } catch (error) {
      connection.close();
      throw error instanceof Error ? error : new Error(`The browser refused: ${JSON.stringify(error)}`);
    }
  }

  receive(command: BidiCommand): void {
    this.#receive(command);
  }

  close(): void {
    closeSocket(this.#socket);
  }
}
