export { acquireFromPool } from "./acquire.ts";
export { callPool } from "./call-pool.ts";
export { toConfigurationChange } from "./configuration.ts";
export { createPool } from "./create-pool.ts";
export { BrowserPool } from "./object.ts";
export * from "./schema.ts";
export { type CountedPool, countPools, findPool, listPools } from "./store.ts";
export { poolObject } from "./stub.ts";
export { endOrphanedPools, sweepPools } from "./sweep.ts";
