import { useEffect, useRef, useState } from "preact/hooks";
import { api, readPage } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { toError } from "../../api/hooks.ts";
import { MAX_EVENTS, mergeEvents, type SessionEvent } from "./events.ts";

const PAGE_SIZE = 1000;

/** New events are shown together, so that many of them do not slow down the view. */
const FLUSH_MS = 250;

export interface EventLog {
  /** The latest ones, oldest first. */
  events: readonly SessionEvent[];
  isLoading: boolean;
  /** Whether new events arrive now. */
  isLive: boolean;
  error: Error | undefined;
  retry: () => void;
}

/** The latest events of a session, and those that follow while it is active. */
export function useEvents(id: string, isActive: boolean): EventLog {
  const store = useRef<SessionEvent[]>([]);
  const isComplete = useRef(false);
  const [events, setEvents] = useState<readonly SessionEvent[]>([]);
  const [status, setStatus] = useState<{ isLoading: boolean; isLive: boolean; error?: Error }>({
    isLoading: true,
    isLive: false,
  });
  const [round, setRound] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: SessionEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      store.current = mergeEvents(store.current, waiting);
      waiting = [];
      setEvents(store.current);
    };
    const add = (added: readonly SessionEvent[]) => {
      waiting.push(...added);
      timer ??= setTimeout(flush, FLUSH_MS);
    };
    const load = async () => {
      try {
        const known = isComplete.current ? (store.current.at(-1)?.seq ?? 0) : 0;
        isComplete.current = false;
        for await (const page of latestPages(id, known, signal)) add(page);
        isComplete.current = true;
        if (!signal.aborted) setStatus((before) => ({ ...before, isLoading: false, error: undefined }));
      } catch (error) {
        if (signal.aborted) return;
        setStatus((before) => ({ ...before, isLoading: false, error: toError(error) }));
      }
    };
    if (isActive) {
      void follow<SessionEvent>({
        path: () => `/browsers/${encodeURIComponent(id)}/telemetry/stream`,
        onEvent: (event) => add([event]),
        onState: ({ isOpen }) => {
          setStatus((before) => ({ ...before, isLive: isOpen }));
          // What happened before the stream opened, or while it was interrupted.
          if (isOpen) void load();
        },
        // It has ended, or soon says why.
        onError: () => void load(),
        signal,
      });
    } else {
      setStatus((before) => ({ ...before, isLive: false }));
      void load();
    }
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [id, isActive, round]);

  return { events, error: undefined, ...status, retry: () => setRound((count) => count + 1) };
}

/** Pages of the latest events, newest first, down to the number that is known. */
async function* latestPages(id: string, known: number, signal: AbortSignal): AsyncGenerator<SessionEvent[]> {
  let offset: number | undefined;
  for (let count = 0; count < MAX_EVENTS; count += PAGE_SIZE) {
    const query = { order: "desc" as const, limit: PAGE_SIZE, offset };
    const call = api.GET("/browsers/{id}/telemetry/events", { params: { path: { id }, query }, signal });
    const { items, hasMore } = await readPage(call);
    const last = items.at(-1)?.seq ?? 0;
    yield items;
    if (!hasMore || last <= known + 1) return;
    offset = last - 1;
  }
}
