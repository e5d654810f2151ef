import { useEffect, useState } from "preact/hooks";
import { api, readPage } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { toError } from "../../api/hooks.ts";
import { MAX_EVENTS, mergeEvents, type SessionEvent } from "./events.ts";

const PAGE_SIZE = 1000;

/** New events are shown together, so that many of them do not slow down the view. */
const SHOW_EVERY_MS = 250;

interface State {
  /** The latest ones, oldest first. */
  events: readonly SessionEvent[];
  isLoading: boolean;
  /** Whether new events arrive now. */
  isLive: boolean;
  error?: Error;
}

export interface EventLog extends State {
  retry: () => void;
}

/** The latest events of a session, and those that follow while it is active. */
export function useEvents(id: string, isActive: boolean): EventLog {
  const [state, setState] = useState<State>({ events: [], isLoading: true, isLive: false });
  const [round, setRound] = useState(0);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: SessionEvent[] = [];
    const show = (change: Partial<State> = {}) => {
      if (signal.aborted) return;
      const added = waiting;
      waiting = [];
      setState((before) => ({
        ...before,
        ...change,
        events: added.length === 0 ? before.events : mergeEvents(before.events, added),
      }));
    };
    const load = async () => {
      try {
        for await (const page of latestPages(id, signal)) waiting.push(...page);
        show({ isLoading: false, error: undefined });
      } catch (error) {
        show({ isLoading: false, error: toError(error) });
      }
    };
    const timer = setInterval(() => waiting.length > 0 && show(), SHOW_EVERY_MS);
    if (!isActive) {
      show({ isLive: false });
      void load();
    } else {
      void follow<SessionEvent>({
        path: () => `/browsers/${id}/telemetry/stream`,
        onEvent: (event) => waiting.push(event),
        onState: (isOpen) => {
          show({ isLive: isOpen });
          // What happened before the stream opened, or while it was interrupted.
          if (isOpen) void load();
        },
        // It has ended, or soon says why.
        onError: () => void load(),
        signal,
      });
    }
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [id, isActive, round]);

  return { ...state, retry: () => setRound((count) => count + 1) };
}

/** Pages of the latest events, newest first. */
async function* latestPages(id: string, signal: AbortSignal): AsyncGenerator<SessionEvent[]> {
  let offset: number | undefined;
  for (let count = 0; count < MAX_EVENTS; count += PAGE_SIZE) {
    const query = { order: "desc" as const, limit: PAGE_SIZE, offset };
    const call = api.GET("/browsers/{id}/telemetry/events", { params: { path: { id }, query }, signal });
    const { items, hasMore } = await readPage(call);
    yield items;
    offset = (items.at(-1)?.seq ?? 1) - 1;
    if (!hasMore || offset < 1) return;
  }
}
