import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  /** The latest value. It stays while it is loaded again. */
  data: T | undefined;
  error: Error | undefined;
  reload: () => void;
}

/**
 * Loads a value when the component appears and when `key` changes. The latest call wins.
 *
 * @param key identifies what is loaded. Another key drops the value.
 * @param options.refreshMs loads again after this time, while the page is visible.
 * @param options.whileHidden loads again even while it is not.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { refreshMs, whileHidden = false }: { refreshMs?: number; whileHidden?: boolean } = {},
): Resource<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key });
  const [round, setRound] = useState(0);
  const isLoading = useRef(false);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const reload = useCallback(() => setRound((count) => count + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    isLoading.current = true;
    latestLoad.current(controller.signal).then(
      (data) => {
        if (controller.signal.aborted) return;
        isLoading.current = false;
        setState({ key, data });
      },
      (error) => {
        if (controller.signal.aborted) return;
        isLoading.current = false;
        setState((before) => ({ ...(before.key === key ? before : { key }), error: toError(error) }));
      },
    );
    return () => controller.abort();
  }, [key, round]);

  useEffect(() => {
    if (refreshMs === undefined) return;
    const timer = setInterval(() => {
      if ((whileHidden || document.visibilityState === "visible") && !isLoading.current) reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [refreshMs, whileHidden, reload]);

  const isOfKey = state.key === key;
  return { data: isOfKey ? state.data : undefined, error: isOfKey ? state.error : undefined, reload };
}

/** Whether the page can be seen. */
export function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isVisible;
}

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
