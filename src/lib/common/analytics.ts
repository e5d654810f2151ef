import { logError } from "./log.ts";

/** Writes to Workers Analytics Engine where bound. docs/usage.md describes the data points. Never throws. */
export function writeDataPoint(env: Env, point: AnalyticsEngineDataPoint): void {
  try {
    env.ANALYTICS?.writeDataPoint(point);
  } catch (error) {
    logError("data_point_not_written", error);
  }
}
