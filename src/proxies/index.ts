export { readEchoedAddress } from "./echoed-address.ts";
export { proxyRoutes } from "./routes.ts";
export { readBrowserProxy, requireProxy } from "./select-proxy.ts";
export { sweepProxies } from "./sweep.ts";
