import type { EventReader } from "./event-log.ts";
import { inPieces, type Texts } from "./text-stream.ts";

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
  return streamEvents(reader, (event) => [JSON.stringify(toData(event))], onClosed);
}

/** As {@link toEventStream}, of events that may be large: the JSON of each is made while it is sent. */
export function streamEvents<T>(
  reader: EventReader<T>,
  toJSON: (event: T) => Texts,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const keepAliveBytes = new TextEncoder().encode(KEEP_ALIVE);
  let isSending = false;
  // A client that has gone breaks the stream: the loop below ends with it, also while no event comes.
  writer.closed.catch(() => reader.close());
  const keepAlive = setInterval(() => {
    if (!isSending) writer.write(keepAliveBytes).catch(() => undefined);
  }, KEEP_ALIVE_MS);
  const send = async () => {
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      isSending = true;
      for await (const piece of inPieces(framed(toJSON(event)))) await writer.write(piece);
      isSending = false;
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

async function* framed(json: Texts): AsyncGenerator<string> {
  yield "data: ";
  yield* json;
  yield "\n\n";
}
