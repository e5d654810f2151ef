export type FileType = "file" | "directory" | "symlink";

export type FileStatus = {
  inode: number;
  type: FileType;
  /** Permission bits with set-uid, set-gid and sticky: 0 to 0o7777. */
  mode: number;
  uid: number;
  gid: number;
  links: number;
  /** Bytes of content; of a symlink: of its target; of a directory: 4096. */
  size: number;
  /** Milliseconds since the epoch. */
  accessedAt: number;
  modifiedAt: number;
  changedAt: number;
};

export type DirectoryEntry = FileStatus & { name: string };

/** What happened to a file. A rename is a `rename` with the old path, then a `create` with the new one. */
export interface FileChange {
  type: "create" | "write" | "delete" | "rename";
  /** Absolute and without symlinks in its directories. */
  path: string;
  isDirectory: boolean;
}
