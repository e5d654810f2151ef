import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  /** The latest value. It stays while it is loaded again. */
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload: () => void;
}

export interface LoadOptions {
  /** Loads again after this time, while the page is visible. */
  refreshMs?: number;
}

/**
 * Loads a value when the component appears and when `key` changes. The latest call wins.
 *
 * @param key identifies what is loaded. Another key drops the value.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { refreshMs }: LoadOptions = {},
): Resource<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const reload = useCallback(() => setRound((count) => count + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    setState((before) => ({ ...(before.key === key ? before : { key }), isLoading: true }));
    latestLoad.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ key, data, isLoading: false });
      },
      (error) => {
        if (controller.signal.aborted) return;
        setState((before) => ({ ...before, key, error: toError(error), isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [key, round]);

  useEffect(() => {
    if (refreshMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [refreshMs, reload]);

  const { data, error, isLoading } = state.key === key ? state : { ...NOTHING };
  return { data, error, isLoading, reload };
}

const NOTHING = { data: undefined, error: undefined, isLoading: true };

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Runs an action and says whether it is running. Its error goes to `onError`. */
export function useAction<A extends unknown[]>(
  action: (...args: A) => Promise<void>,
  onError: (error: Error) => void,
): { run: (...args: A) => Promise<void>; isRunning: boolean } {
  const [isRunning, setRunning] = useState(false);
  const run = async (...args: A) => {
    setRunning(true);
    try {
      await action(...args);
    } catch (error) {
      onError(toError(error));
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning };
}
