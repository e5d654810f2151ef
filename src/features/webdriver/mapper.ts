import type { ChromiumBidi } from "chromium-bidi/out/Default/gen/src/protocol/protocol.js";
import { z } from "zod";
import { isRecord } from "../../lib/common/is-record.ts";
import { closeSocket } from "../../platform/browser/index.ts";

const MAX_LOG_ENTRY_LENGTH = 64 * 1024;

const LOG_ENTRY = /^\{"method":"Runtime\.(consoleAPICalled|exceptionThrown)"/;

/** Matches how the mapper attaches to the page of a tab. */
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

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

/**
 * Starts to translate WebDriver BiDi to DevTools commands, until the DevTools socket closes. The first
 * command must be `session.new`. Later commands wait for its answer, which comes once the mapper knows all
 * open pages.
 *
 * @returns a function that takes the client's commands.
 * @throws when the browser does not answer.
 */
export async function startMapper(
  socket: WebSocket,
  onMessage: (message: BidiMessage) => void,
): Promise<(command: BidiCommand) => void> {
  // Loaded at the first use, because its schemas would make every start of the Worker slow.
  const { BidiParser, BidiServer, MapperCdpConnection } = await import("./chromium-bidi.ts");
  const connection = new MapperCdpConnection({
    setOnMessage: (handle) => {
      socket.addEventListener("message", ({ data }) => {
        if (typeof data === "string" && !isLargeLogEntry(data)) void handle(data);
      });
    },
    sendMessage: (message) => {
      // Nothing waits for commands that come after the close.
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    close: () => closeSocket(socket),
  });
  socket.addEventListener("close", () => connection.close());
  const receiver = Promise.withResolvers<(command: BidiCommand) => void>();
  const begun = Promise.withResolvers<void>();
  const attaching: Promise<unknown>[] = [];
  const transport = {
    setOnMessage: receiver.resolve,
    sendMessage: async (message: BidiMessage) => {
      if ("id" in message) await Promise.all(attaching.splice(0));
      onMessage(message);
      if ("id" in message) begun.resolve();
    },
    close: () => undefined,
  };
  try {
    const session = await connection.createBrowserSession();
    // The mapper itself does not wait until it is attached to the page of a tab.
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type !== "tab") return;
      const attached = connection.getCdpClient(sessionId).sendCommand("Target.setAutoAttach", AUTO_ATTACH);
      // The tab may have been closed.
      attaching.push(attached.catch(() => undefined));
    });
    await BidiServer.createAndStart(transport, connection, session, "", new BidiParser());
    const receive = await receiver.promise;
    let ready = Promise.resolve();
    return (command) => {
      void ready.then(() => receive(command));
      ready = begun.promise;
    };
  } catch (error) {
    connection.close();
    throw error instanceof Error ? error : new Error(`The browser refused: ${JSON.stringify(error)}`);
  }
}

/** The mapper keeps the last hundred entries of each context, even without a subscription. */
function isLargeLogEntry(frame: string): boolean {
  return frame.length > MAX_LOG_ENTRY_LENGTH && LOG_ENTRY.test(frame);
}
