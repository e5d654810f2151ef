export { DurableMachine, type DurableMachineOptions, type MachineLimits } from "./durable-machine.ts";
export { FileError, type FileErrorCode } from "./file-system/file-error.ts";
export type {
  DirectoryEntry,
  FileChange,
  FileStatus,
  FileSystem,
  FileType,
} from "./file-system/file-system.ts";
export {
  type Machine,
  type MachineProcess,
  type OutputStream,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  type Signal,
  StartError,
} from "./machine.ts";
export type { FailureReason, MachineFetch, MachineRequest, MachineResponse } from "./network.ts";
export { TooManyProcessesError } from "./processes/process-table.ts";
export { type Credentials, credentialsOf, ROOT, ROOT_USER, type User, Users } from "./users.ts";
