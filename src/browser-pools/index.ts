export { BrowserPool } from "./browser-pool.ts";
export { browserPoolRoutes } from "./routes.ts";
export { endForsakenPools, sweepPools } from "./sweep.ts";
