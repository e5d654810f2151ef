import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { type Resource, useLoad } from "../../api/hooks.ts";
import { isFinal, rankOf, type Statuses } from "./status.tsx";

/** Lines come in bursts, and are shown together. */
const SHOW_EVERY_MS = 80;

/** The service keeps the last 1,000 lines; more come while a log is followed. */
const MAX_LINES = 2000;

interface LogLine {
  number: number;
  /** ISO 8601. */
  at: string;
  text: string;
  isError: boolean;
}

export interface Log {
  lines: readonly LogLine[];
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
): { resource: Resource<T>; log: Log } {
  const resource = useLoad(path, load);
  const [latest, setLatest] = useState<T>();
  const [log, setLog] = useState<Log>({ lines: [], state: "connecting" });
  const isLoaded = resource.data !== undefined;

  useEffect(() => {
    if (!isLoaded) return;
    const controller = new AbortController();
    let lines: LogLine[] = [];
    let state: Log["state"] = "connecting";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        lines = lines.slice(-MAX_LINES);
        setLog({ lines, state });
      }, SHOW_EVERY_MS);
    };
    const add = (text: string, at: string, isError: boolean) => {
      lines.push({ number: (lines.at(-1)?.number ?? 0) + 1, at, text, isError });
      show();
    };
    const end = () => {
      state = "ended";
      controller.abort();
      show();
    };
    void follow<E>({
      path: () => `${path}/events`,
      signal: controller.signal,
      onState: (isOpen) => {
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
        if (next === undefined) return;
        // The stream begins with the past states.
        setLatest((before = resource.data) =>
          rankOf(before?.status ?? "", statuses) > rankOf(next.status, statuses) ? before : next,
        );
        if (isFinal(next.status, statuses)) end();
      },
      onError: (error) => {
        add(error.message, new Date().toISOString(), true);
        end();
      },
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [path, isLoaded]);
  const { data } = resource;
  const isNewer =
    latest !== undefined && rankOf(latest.status, statuses) > rankOf(data?.status ?? "", statuses);
  return { resource: { ...resource, data: isNewer ? latest : data }, log };
}
