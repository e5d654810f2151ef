export { type MachineCaller, SessionMachine } from "./object.ts";
export type { ExecResult } from "./process-calls.ts";
export { machineObject } from "./stub.ts";
