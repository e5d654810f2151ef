interface EntryStatus {
  /** Relative, without `.`, `..`, or a slash at either end. */
  path: string;
  mode: number;
  /** Milliseconds since the epoch; a zip stores whole seconds. */
  modifiedAt: number;
}

export interface FileEntry extends EntryStatus {
  type: "file";
  /** In bytes. */
  size: number;
  content(): ReadableStream<Uint8Array>;
  /** The whole content, if it is so small that a stream is slower. */
  read?: () => Promise<Uint8Array>;
}

export interface DirectoryEntry extends EntryStatus {
  type: "directory";
}

export interface SymlinkEntry extends EntryStatus {
  type: "symlink";
  target: string;
}

export type ArchiveEntry = FileEntry | DirectoryEntry | SymlinkEntry;
