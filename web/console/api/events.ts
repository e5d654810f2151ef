import { request } from "./client.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

interface StreamOptions<T> {
  /** The address, called for each connection, so that it can continue after the last event. */
  path: () => string;
  onEvent: (event: T) => void;
  /** Says whether events arrive now; not while the stream reconnects. */
  onState?: (isOpen: boolean) => void;
  /** Called for an error that a retry would not change. The stream has ended then. */
  onError?: (error: Error) => void;
  /** Whether the stream begins again after its end. Default: true. */
  reconnects?: boolean;
  signal: AbortSignal;
}

/** Follows server-sent JSON until aborted. `EventSource` cannot send the header that requests need. */
export async function follow<T>(options: StreamOptions<T>): Promise<void> {
  const { path, onEvent, onState, onError, reconnects = true, signal } = options;
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const response = await request(path(), { signal, headers: { accept: "text/event-stream" } });
      onState?.(true);
      for await (const data of readEvents(response)) {
        retryMs = FIRST_RETRY_MS;
        onEvent(JSON.parse(data));
      }
      if (!reconnects) return;
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof Error && "status" in error ? Number(error.status) : 0;
      if (!reconnects || (status >= 400 && status < 500 && status !== 429)) {
        onState?.(false);
        onError?.(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
    onState?.(false);
    await pause(retryMs, signal);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** The `data` of each event, with its lines joined. */
async function* readEvents(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const messages = (rest + chunk.value).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) {
        const lines = message.split("\n").filter((line) => line.startsWith("data:"));
        if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Ends early when aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
