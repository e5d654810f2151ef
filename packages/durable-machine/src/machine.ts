import type { FileErrorCode } from "./file-system/file-error.ts";
import type { DirectoryEntry, FileChange, FileStatus } from "./file-system/file-system.ts";
import type {
  ProcessEnd,
  ProcessListeners,
  ProcessRequest,
  Signal,
  TerminalSize,
} from "./processes/process.ts";

/** Files and processes, whatever runs them, such as {@link DurableMachine} or a container. */
export interface Machine {
  readonly files: MachineFiles;
  readonly processes: MachineProcesses;
  /** Must be called first. */
  open(): Promise<void>;
  /** Ends all processes. Later operations on files fail with EIO. */
  close(): Promise<void>;
}

/**
 * The files of a machine, as root sees them. Paths are absolute. Operations reject with an error whose `code`
 * is one of {@link FileErrorCode} and whose message begins with it: `ENOENT: no such file or directory`.
 */
export interface MachineFiles {
  status(path: string, options?: { followSymlink?: boolean }): Promise<FileStatus>;
  /** The entries of a directory, sorted by the bytes of their names, without `.` and `..`. */
  list(path: string): Promise<DirectoryEntry[]>;
  resolve(path: string): Promise<string>;
  readSymlink(path: string): Promise<string>;
  /** The reader sees concurrent writes in place, but no replacement, removal or append. */
  read(path: string): Promise<{ size: number; body: ReadableStream<Uint8Array> }>;
  /** At most `length` bytes from `offset` on; fewer only at the end of the file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * The file appears, or is replaced, at the end and as a whole. A stream that fails or exceeds the quota
   * leaves nothing.
   *
   * @param options.mode permission bits of a new file, before the umask. Default: 0o666.
   * @param options.parents create missing directories.
   */
  write(
    path: string,
    body: ReadableStream<Uint8Array>,
    options?: { mode?: number; parents?: boolean },
  ): Promise<void>;
  /** Writes a file that fits in memory with its mode and time, in one step. Creates missing directories. */
  writeSmall(path: string, bytes: Uint8Array, options: { mode: number; modifiedAt: number }): Promise<void>;
  /** @param options.parents create missing directories, and accept a directory that exists. */
  makeDirectory(path: string, options?: { mode?: number; parents?: boolean }): Promise<void>;
  /** Replaces a file or an empty directory. @param options.replace if false: EEXIST instead. */
  rename(source: string, destination: string, options?: { replace?: boolean }): Promise<void>;
  /**
   * Moves all files or, if one fails, none. Creates missing directories. A replaced file passes its owner and
   * mode on to the new one, and a symlink keeps pointing to it.
   */
  place(moves: readonly { source: string; destination: string }[]): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  removeTree(path: string): Promise<void>;
  changeMode(path: string, mode: number): Promise<void>;
  /** An undefined owner or group is kept. */
  changeOwner(path: string, owner: { uid?: number; gid?: number }): Promise<void>;
  /** Times in milliseconds since the epoch. */
  setTimes(path: string, times: { accessedAt: number; modifiedAt: number }): Promise<void>;
  /** In bytes. */
  usage(): Promise<{ usedBytes: number; quotaBytes: number }>;
  /** Reports changes of a file, or of anything in a directory. @returns a function that ends it. */
  watch(path: string, listener: (change: FileChange) => void): Promise<() => void>;
}

export interface MachineProcesses {
  /** Whether processes may run in terminals. Default: false. */
  readonly hasTerminals?: boolean;
  /** @throws StartError */
  start(request: ProcessRequest, listeners: ProcessListeners): Promise<MachineProcess>;
}

export interface MachineProcess {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** @returns whether the process still takes input. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Also ends what it has started. Its traps run for TERM, INT and HUP, but not for KILL. */
  kill(signal: Signal): Promise<void>;
  /** Only for a process in a terminal. */
  resize?(size: TerminalSize): Promise<void>;
}
