export { BrowserPool } from "./browser-pool.ts";
export { browserPoolRoutes } from "./routes.ts";
export { endOrphanedPools, sweepPools } from "./sweep.ts";
