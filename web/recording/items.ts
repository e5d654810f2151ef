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

/** @param seconds such as 3723.4, for 1:02:03. */
export function formatTime(seconds: number): string {
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const pad = (value = 0) => String(value).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}
