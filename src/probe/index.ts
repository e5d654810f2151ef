export { PlatformProbe } from "./object.ts";
export { probeRoutes } from "./routes.ts";
export { ProbeStream } from "./stream.ts";
