import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import type { Resource } from "../../api/hooks.ts";

type SessionPage = Schemas["SessionPageEvent"];

interface Live extends Resource<SessionPage> {
  connection: "connecting" | "live" | "reconnecting" | "ended";
  /** Whether the data is of the query before. */
  isStale: boolean;
}

type State = Omit<Live, "reload" | "isLoading">;

/** Follows a page of the list of sessions. The page before stays until the new one is there. */
export function useSessionPage(query: string): Live {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State>({
    data: undefined,
    error: undefined,
    connection: "connecting",
    isStale: false,
  });
  useEffect(() => {
    const controller = new AbortController();
    const change = (changes: Partial<State>) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, ...changes }));
    };
    change({ error: undefined, connection: "connecting", isStale: true });
    void follow<SessionPage>({
      path: () => `/org/sessions/stream?${query}`,
      onEvent: (data) => change({ data, isStale: false }),
      onState: ({ isOpen }) => change({ connection: isOpen ? "live" : "reconnecting" }),
      onError: (error) => change({ error, connection: "ended" }),
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [query, round]);
  return {
    ...state,
    isLoading: state.connection === "connecting",
    reload: () => setRound((count) => count + 1),
  };
}
