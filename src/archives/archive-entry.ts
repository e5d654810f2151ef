interface EntryStatus {
  /** From the archive's directory on, without `.`, `..` or a slash at either end. */
  path: string;
  /** Permission bits: 0 to 0o7777. */
  mode: number;
  /** Milliseconds since the epoch; archives keep whole seconds. */
  modifiedAt: number;
}

export interface FileEntry extends EntryStatus {
  type: "file";
  /** Bytes of content. */
  size: number;
  /** The content, anew with each call. */
  content(): ReadableStream<Uint8Array>;
}

export interface DirectoryEntry extends EntryStatus {
  type: "directory";
}

export interface SymlinkEntry extends EntryStatus {
  type: "symlink";
  target: string;
}

/** What an archive holds of one file. */
export type ArchiveEntry = FileEntry | DirectoryEntry | SymlinkEntry;
