import type { EventReader } from "./event-log.ts";

/** How often a line goes out that clients skip: on the way of nothing else is it seen that a client has gone. */
const KEEP_ALIVE_MS = 2000;
const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * Events as `text/event-stream`, each a JSON object in a `data:` line.
 *
 * @param onClosed called once, when all events are sent or the client has gone.
 */
export function toEventStream<T>(
  reader: EventReader<T>,
  toData: (event: T) => object,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const write = (text: string) => writer.write(encoder.encode(text));
  // A client that has gone breaks the stream: the loop below ends with it, also while no event comes.
  writer.closed.catch(() => reader.close());
  const keepAlive = setInterval(() => write(KEEP_ALIVE).catch(() => undefined), KEEP_ALIVE_MS);
  const send = async () => {
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      await write(`data: ${JSON.stringify(toData(event))}\n\n`);
    }
    await writer.close();
  };
  void send()
    // Whether the client has gone or the events cannot be read: it is not to wait for more.
    .catch((error) => writer.abort(error).catch(() => undefined))
    .finally(() => {
      clearInterval(keepAlive);
      reader.close();
      onClosed();
    });
  return readable;
}
