import { formatBytes, formatDuration } from "../../ui/format.ts";

/** The value of a setting in a larger unit, such as `30 d` for seconds. Absent: there is none. */
export function readableValue(name: string, value: string): string | undefined {
  const number = Number(value);
  if (name.endsWith("_SECONDS") && number >= 60) return formatDuration(number * 1000);
  if (name.endsWith("_MEBIBYTES") && number >= 1024) return formatBytes(number * 1024 ** 2);
  return undefined;
}
