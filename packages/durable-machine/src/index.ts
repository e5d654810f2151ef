export { DurableMachine, type DurableMachineOptions, type MachineLimits } from "./durable-machine.ts";
export { FileError, type FileErrorCode, isFileErrorCode } from "./file-system/file-error.ts";
export type { DirectoryEntry, FileChange, FileStatus, FileType } from "./file-system/file-system.ts";
export type { MachineIdentity } from "./file-system/first-files.ts";
export type { Machine, MachineFiles, MachineProcess, MachineProcesses } from "./machine.ts";
export type { MachineFetch, MachineRequest, MachineResponse } from "./network.ts";
export {
  isStartError,
  type OutputStream,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  type Signal,
  StartError,
  type StartErrorCode,
  type TerminalSize,
} from "./processes/process.ts";
export { ROOT_USER, type User, Users } from "./users.ts";
