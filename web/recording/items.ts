import type { RecordingItem } from "../../src/features/recordings/recording-document.ts";

/** @returns the error before or after a time, in seconds. */
export function findError(
  items: readonly RecordingItem[],
  time: number,
  direction: 1 | -1,
): RecordingItem | undefined {
  const errors = items.filter((item) => item.isError);
  // A jump to an error does not hit its time exactly.
  if (direction === 1) return errors.find((error) => error.time > time + 0.01);
  return errors.findLast((error) => error.time < time - 0.5);
}

const IDLE_SECONDS = 4;
/** What stays of a pause before what follows it. */
const LEAD_SECONDS = 1;

/** @returns where to go on, in seconds, if nothing happens for a while at this time. */
export function skipIdle(
  items: readonly RecordingItem[],
  time: number,
  duration: number,
): number | undefined {
  const last = items.findLast((item) => item.time <= time)?.time ?? 0;
  const next = items.find((item) => item.time > time)?.time ?? duration;
  if (next - last < IDLE_SECONDS || time < last + LEAD_SECONDS) return undefined;
  const target = next - LEAD_SECONDS;
  return target > time ? target : undefined;
}

/** @returns the seconds that a link at a moment names, such as 62.5 of `#t=62.5`. */
export function readMoment(hash: string): number | undefined {
  const seconds = /^#t=(\d{1,6}(?:\.\d{1,3})?)$/.exec(hash)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

/** @param seconds such as 3723.4, for 1:02:03. */
export function formatTime(seconds: number): string {
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const pad = (value = 0) => String(value).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}
