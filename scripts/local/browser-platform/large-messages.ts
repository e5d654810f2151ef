const MEBIBYTE = 1024 * 1024;

/** The Worker's runtime closes a WebSocket over a larger message. */
const MAX_MESSAGE_BYTES = 32 * MEBIBYTE;

const HEAD_LENGTH = 64;
const ID = /^\{"id":(\d+)/;

/** Events that are purely informational. A client that misses any other event may wait forever. */
const OMITTED =
  /^\{"method":"(Runtime\.consoleAPICalled|Log\.entryAdded|Network\.(webSocketFrame(Received|Sent)|eventSourceMessageReceived))"/;

/** Clients interpret any other failure of these as a navigation. */
const SCRIPTS = ["Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.awaitPromise"];

/**
 * Replaces a message that would end the client's connection: a response with an error, and an event with a
 * warning.
 *
 * @param about.sessionId that of the message.
 * @param about.command what the message answers.
 */
export function fitMessage(
  message: Buffer,
  { sessionId, command }: { sessionId: string | undefined; command: string | undefined },
): Buffer {
  if (message.length <= MAX_MESSAGE_BYTES) return message;
  const head = message.toString("latin1", 0, HEAD_LENGTH);
  const size = `${Math.floor(message.length / MEBIBYTE)} MiB, of at most ${MAX_MESSAGE_BYTES / MEBIBYTE}`;
  if (command !== undefined) {
    const text = `The answer was left out: it has ${size}`;
    const exceptionDetails = { exceptionId: 0, text, lineNumber: 0, columnNumber: 0 };
    const answer = SCRIPTS.includes(command)
      ? { result: { result: { type: "undefined" }, exceptionDetails } }
      : { error: { code: -32000, message: text } };
    return Buffer.from(JSON.stringify({ id: Number(ID.exec(head)?.[1]), ...answer, sessionId }));
  }
  const method = OMITTED.exec(head)?.[1];
  if (method === undefined) return message;
  const text = `An event ${method} was left out: it has ${size}`;
  const entry = { source: "other", level: "warning", text, timestamp: Date.now() };
  return Buffer.from(JSON.stringify({ method: "Log.entryAdded", params: { entry }, sessionId }));
}
