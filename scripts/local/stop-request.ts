/** Whoever asks a script to stop: Ctrl-C, a supervisor, a closed terminal, the death of the process above. */
export interface StopRequest {
  /** Aborts at the first asking. */
  readonly asked: AbortSignal;
  /** Aborts when somebody asks again. */
  readonly insisted: AbortSignal;
}

/**
 * One Ctrl-C arrives up to three times: from the terminal, which signals the whole group, from npm and from
 * bootstrap.mjs, which pass on what they got.
 */
const ECHO_MS = 500;

export function listenForStop(): StopRequest {
  const asked = new AbortController();
  const insisted = new AbortController();
  let askedAt = 0;
  const ask = () => {
    if (asked.signal.aborted && performance.now() - askedAt > ECHO_MS) insisted.abort();
    if (!asked.signal.aborted) askedAt = performance.now();
    asked.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  process.on("disconnect", ask);
  // The open channel must not keep a finished script alive.
  process.channel?.unref();
  // A closed terminal or pipe makes writing fail; that is no reason to leave processes behind.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return { asked: asked.signal, insisted: insisted.signal };
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
