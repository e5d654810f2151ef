export { MachineContainer } from "./machine-container.ts";
export { type MachineCaller, type MachineChoice, SessionMachine } from "./object.ts";
export type { ExecResult } from "./process-calls.ts";
export { machineObject } from "./stub.ts";
export { type HasEnded, sweepMachines } from "./sweep.ts";
