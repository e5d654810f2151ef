export { bindingOf, listAllBrowsers } from "./accounts.ts";
export type { BrowserRecord } from "./browser-records.ts";
export { launchDelay } from "./launch-delay.ts";
export { sessionLimitReached, toLaunchError } from "./launch-error.ts";
export type { AcquiredBrowser } from "./launcher.ts";
export { BrowserBroker } from "./object.ts";
export { acquireForSession, brokerOf } from "./stub.ts";
export { countWaitingLaunches, listOwnBrowsers, sweepBrowsers } from "./sweep.ts";
