import type { EventReader } from "./event-log.ts";
import { encodeChunks, type TextChunks } from "./text-stream.ts";

/** Only a write reveals that the client has disconnected. */
const KEEP_ALIVE_INTERVAL_MS = 2000;
const KEEP_ALIVE = ": keep-alive\n\n";

/** Server-sent events of one JSON object each. `onClosed` is called once, at the end or on a disconnect. */
export function toEventStream<T>(
  reader: EventReader<T>,
  toData: (event: T) => object,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  return streamEvents(reader, (event) => [JSON.stringify(toData(event))], onClosed);
}

/** Like {@link toEventStream}, but writes events that arrive together at once: each write has a cost. */
export function toBatchStream<T>(
  reader: EventReader<T[]>,
  toData: (event: T) => object,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  const toJSON = (events: T[]) => [events.map((event) => JSON.stringify(toData(event))).join("\n\ndata: ")];
  return streamEvents(reader, toJSON, onClosed);
}

/** The event that the Kernel SDK expects for a log line. */
export function toLogEvent(message: string, time = Date.now()) {
  return { event: "log" as const, message, timestamp: new Date(time).toISOString() };
}

/**
 * Like {@link toEventStream}, but generates the JSON of each event while it is sent.
 *
 * @param toId gives each event an id, which a client sends as `Last-Event-ID` when it reconnects.
 */
export function streamEvents<T>(
  reader: EventReader<T>,
  toJSON: (event: T) => TextChunks,
  onClosed: () => void,
  toId?: (event: T) => number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const keepAliveBytes = new TextEncoder().encode(KEEP_ALIVE);
  let isSending = false;
  // A disconnected client closes the writer. The reader may be waiting for an event then.
  writer.closed.catch(() => reader.close());
  const keepAlive = setInterval(() => {
    if (!isSending) writer.write(keepAliveBytes).catch(() => undefined);
  }, KEEP_ALIVE_INTERVAL_MS);
  const send = async () => {
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      isSending = true;
      for await (const chunk of encodeChunks(toMessage(toJSON(event), toId?.(event))))
        await writer.write(chunk);
      isSending = false;
    }
    await writer.close();
  };
  void send()
    .catch((error) => writer.abort(error).catch(() => undefined))
    .finally(() => {
      clearInterval(keepAlive);
      reader.close();
      onClosed();
    });
  return readable;
}

async function* toMessage(json: TextChunks, id: number | undefined): AsyncGenerator<string> {
  if (id !== undefined) yield `id: ${id}\n`;
  yield "data: ";
  yield* json;
  yield "\n\n";
}
