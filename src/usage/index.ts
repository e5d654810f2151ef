export { addRecording, addSessionTime, addSessionUse, addUse, count } from "./add-use.ts";
export { operatorUsageRoutes, usageRoutes } from "./routes.ts";
export { sweepUsage } from "./sweep.ts";
