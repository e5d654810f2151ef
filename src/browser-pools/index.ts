export { BrowserPool } from "./object.ts";
export { browserPoolRoutes } from "./routes.ts";
export { endOrphanedPools, sweepPools } from "./sweep.ts";
