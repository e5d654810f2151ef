export { acquireFromPool } from "./acquire.ts";
export { BrowserPool } from "./object.ts";
export { browserPoolRoutes } from "./routes.ts";
export { type AcquireBody, acquireBodySchema } from "./schema.ts";
export { endOrphanedPools, sweepPools } from "./sweep.ts";
