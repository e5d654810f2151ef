import { useEffect, useState } from "preact/hooks";
import { formatDue, formatDuration, formatExact, formatRelative } from "./format.ts";

const TICK_MS = 1000;

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, every second. All components share one timer. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    listeners.add(setNow);
    timer ??= setInterval(() => {
      const time = Date.now();
      for (const listener of listeners) listener(time);
    }, TICK_MS);
    return () => {
      listeners.delete(setNow);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now;
}

/**
 * A time as text such as `3 min ago`, with the exact one on hover. Absent: a dash.
 *
 * @param isDue whether it is the time of something that waits, which is never in the past.
 */
export function Time({ at, isDue }: { at: string | null | undefined; isDue?: boolean }) {
  const now = useNow();
  if (at == null) return <span class="dim">–</span>;
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={formatExact(time)}>
      {isDue ? formatDue(time, now) : formatRelative(time, now)}
    </time>
  );
}

/** How long something lasts or lasted. */
export function Elapsed({ since, until }: { since: string; until?: string | null }) {
  const now = useNow();
  const from = Date.parse(since);
  const to = until == null ? now : Date.parse(until);
  return <span title={`Since ${formatExact(from)}`}>{formatDuration(Math.max(1000, to - from))}</span>;
}

export function TimeLeft({ until }: { until: string }) {
  const now = useNow();
  const end = Date.parse(until);
  return (
    <span title={formatExact(end)}>{end <= now ? "now" : formatDuration(Math.max(1000, end - now))}</span>
  );
}
