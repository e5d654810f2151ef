/** Signals of Ctrl-C, a supervisor, a closed terminal or the exit of the parent process. */
export interface StopRequest {
  /** Aborts on the first request. */
  readonly requested: AbortSignal;
  /** Aborts on a second request. */
  readonly forced: AbortSignal;
}

/** One Ctrl-C arrives up to three times: from the terminal, npm and bootstrap.mjs. */
const DUPLICATE_SIGNAL_MS = 500;

export function listenForStop(): StopRequest {
  const requested = new AbortController();
  const forced = new AbortController();
  let requestedAt = 0;
  const requestStop = () => {
    if (requested.signal.aborted && performance.now() - requestedAt > DUPLICATE_SIGNAL_MS) forced.abort();
    if (!requested.signal.aborted) requestedAt = performance.now();
    requested.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, requestStop);
  process.on("disconnect", requestStop);
  // The IPC channel must not keep a finished script alive.
  process.channel?.unref();
  // Writing fails after the terminal has closed, but processes still have to be stopped.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return { requested: requested.signal, forced: forced.signal };
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
