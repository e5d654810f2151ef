export interface FileDestination {
  /** Absolute; created if missing. */
  directory: string;
  /** Contains no slash and is neither `.` nor `..`. */
  name: string;
  /** `number` stores `name (1).ext` if the name is taken. */
  ifTaken: "number" | "replace";
}

export interface FileContent {
  size: number;
  body: ReadableStream<Uint8Array>;
}

export interface SessionFiles {
  /**
   * The file appears only when complete; a failed body leaves nothing.
   *
   * @param body a byte stream.
   * @returns the file's path.
   * @throws when it cannot be stored, for example above the quota.
   */
  store(place: FileDestination, body: ReadableStream<Uint8Array>): Promise<string>;
  link(path: string, place: FileDestination): Promise<string>;
  /** @returns undefined if an absolute path does not exist. */
  read(path: string): Promise<FileContent | undefined>;
}
