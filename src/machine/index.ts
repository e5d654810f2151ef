export type { ExecResult } from "./process-calls.ts";
export { type MachineCaller, SessionMachine } from "./session-machine.ts";
