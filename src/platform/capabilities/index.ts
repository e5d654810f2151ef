export { OUTCOMES } from "../../lib/database/schema/capabilities.ts";
export { CHECK_NAMES, CHECKS, type CheckName } from "./checks.ts";
export { type Feature, featuresOf } from "./features.ts";
export { listCapabilities, recordCapability, requireFeatures } from "./store.ts";
