export { addRecording, addSessionTime, addUse, count } from "./add-use.ts";
export { recordSessionUse } from "./record-session-use.ts";
export { operatorUsageRoutes, usageRoutes } from "./routes.ts";
export { sweepUsage } from "./sweep.ts";
