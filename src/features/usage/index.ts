export { addRecording, addSessionTime, addUsage, count, recordSessionUsage } from "./add-usage.ts";
export { readMetrics } from "./metrics.ts";
export {
  operatorUsageQuerySchema,
  organizationUsageSchema,
  usageQuerySchema,
  usageSchema,
} from "./schema.ts";
export { readUsage } from "./store.ts";
export { sweepUsage } from "./sweep.ts";
