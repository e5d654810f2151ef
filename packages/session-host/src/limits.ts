/** What a sandbox may use. Sizes are in bytes. */
export interface SandboxLimits {
  /** Of all its files, which are in memory. */
  fileBytes: number;
  files: number;
  /** Processes that were started by requests and run at once. */
  processes: number;
  /** Processes and threads. */
  tasks: number;
  /** Of all its processes. */
  memoryBytes: number;
  /** Processors; may be a fraction. */
  cpus: number;
}
