export { LONG_CHECKS, SERVICE_CHECKS } from "./all-checks.ts";
export type { ProbeOptions } from "./context.ts";
export { PlatformProbe } from "./object.ts";
export { ProbeStream } from "./stream.ts";
