import { useEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { type Resource, useLoad } from "../../api/hooks.ts";
import { addLine, type LogLine } from "./log-lines.ts";
import { isFinal, rankOf, type Statuses } from "./status.tsx";

/** Lines come in bursts, and are shown together. */
const SHOW_EVERY_MS = 80;

export interface Log {
  lines: LogLine[];
  state: "connecting" | "live" | "ended";
}

/**
 * Loads a deployment or an invocation, and follows its events up to its end.
 *
 * @param path of the thing in the API. Another path needs another component.
 * @param read the thing itself, if the event has it.
 */
export function useLive<
  E extends Schemas["DeploymentEvent"] | Schemas["InvocationEvent"],
  T extends { status: string },
>(
  path: string,
  load: (signal: AbortSignal) => Promise<T>,
  read: (event: E) => T | undefined,
  statuses: Statuses,
): { resource: Resource<T>; value: T | undefined; log: Log } {
  const resource = useLoad(path, load);
  const [latest, setLatest] = useState<T>();
  const [log, setLog] = useState<Log>({ lines: [], state: "connecting" });
  const isLoaded = resource.data !== undefined;
  const value = latest ?? resource.data;
  const rank = useRef(-1);
  if (value !== undefined) rank.current = Math.max(rank.current, rankOf(value.status, statuses));

  useEffect(() => {
    if (!isLoaded) return;
    const controller = new AbortController();
    let lines: LogLine[] = [];
    let state: Log["state"] = "connecting";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLog({ lines, state });
      }, SHOW_EVERY_MS);
    };
    const end = () => {
      state = "ended";
      controller.abort();
    };
    const add = (text: string, at: string, isError: boolean) => {
      lines = addLine(lines, { at, text, isError });
    };
    void follow<E>({
      path: () => `${path}/events`,
      signal: controller.signal,
      onState: ({ isOpen }) => {
        if (state === "ended") return;
        state = isOpen ? "live" : "connecting";
        // Each connection begins with the past lines.
        if (isOpen) lines = [];
        show();
      },
      onEvent: (event) => {
        if (event.event === "log") add(event.message, event.timestamp, false);
        if (event.event === "error") {
          add(event.error.message, event.timestamp, true);
          // The service could not read the rest, and would fail again.
          if (event.error.code === "internal_error") end();
        }
        const next = read(event);
        const nextRank = next === undefined ? -1 : rankOf(next.status, statuses);
        // The stream begins with the past states.
        if (next !== undefined && nextRank >= rank.current) {
          rank.current = nextRank;
          setLatest(next);
        }
        if (next !== undefined && isFinal(next.status, statuses)) end();
        show();
      },
      onError: (error) => {
        add(error.message, new Date().toISOString(), true);
        end();
        show();
      },
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [path, isLoaded]);
  return { resource, value, log };
}
