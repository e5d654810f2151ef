export type { CompileRequest } from "./compile-request.ts";
export { type DynamicWorkerSource, nameWorker, requireLoader, retireWorker, toWorkerCode } from "./loader.ts";
export { guardLoops, newColumnMapper } from "./loop-guard.ts";
export { type ModuleName, readAsset, readModule, readModules } from "./modules.ts";
export { isStackOverflow, NESTED_TOO_DEEPLY } from "./nested-code.ts";
export { readRun } from "./read-run.ts";
export { MAX_LINE_LENGTH, type RunLimits, truncate } from "./run-limits.ts";
export { type LogLine, type RunResult, type Thrown, thrownSchema } from "./run-messages.ts";
export type { ScriptProps, ScriptRequest } from "./script-request.ts";
