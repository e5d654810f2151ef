export { PlatformProbe } from "./object.ts";
export { probeRoutes } from "./routes.ts";
