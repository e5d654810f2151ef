export { CHECKS, type CheckName, isCheck } from "./checks.ts";
export { type Feature, featuresOf } from "./features.ts";
export { recordCapability, requireFeatures } from "./require-features.ts";
export { listCapabilities } from "./store.ts";
