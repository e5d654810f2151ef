export { CHECKS, type CheckName } from "./checks.ts";
export { type Feature, featuresOf } from "./features.ts";
export { forgetCapabilities, recordCapability, requireFeatures } from "./require-features.ts";
export { listCapabilities } from "./store.ts";
