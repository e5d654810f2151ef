export { addRecording, addSessionTime, addUsage, count, recordSessionUsage } from "./add-usage.ts";
export { readMetrics } from "./metrics.ts";
export * from "./schema.ts";
export { readUsage } from "./store.ts";
export { sweepUsage } from "./sweep.ts";
