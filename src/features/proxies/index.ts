export { checkProxy } from "./check-proxy.ts";
export { checkReachability } from "./check-reachability.ts";
export { createProxy } from "./create-proxy.ts";
export { readEchoedAddress } from "./echoed-address.ts";
export * from "./schema.ts";
export { readBrowserProxy, requireProxy } from "./select-proxy.ts";
export { findProxy, listChecks, listProxies, markProxyDeleted, recordHealth, renameProxy } from "./store.ts";
export { sweepProxies } from "./sweep.ts";
