export { addRecording, addSessionTime, addUse, count, recordSessionUse } from "./add-use.ts";
export { operatorUsageRoutes, usageRoutes } from "./routes.ts";
export { sweepUsage } from "./sweep.ts";
