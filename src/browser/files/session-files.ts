/** Where a file is to be put. */
export interface FilePlace {
  /** Absolute; made where it is missing. */
  directory: string;
  /** Without a slash, and neither `.` nor `..`. */
  name: string;
  /** What happens where the name is taken: the new file is `name (1).ext`, or comes in the old one's place. */
  ifTaken: "number" | "replace";
}

/** A file as it was when it was asked for. */
export interface FileContent {
  /** In bytes. */
  size: number;
  body: ReadableStream<Uint8Array>;
}

/** The files that stand beside a session's browser, as much of them as a browser needs. */
export interface SessionFiles {
  /**
   * Stores a new file. It appears at the end and whole: of a body that breaks nothing stays.
   *
   * @param body a byte stream.
   * @returns its path.
   * @throws when it cannot be stored, because the quota is used up for one.
   */
  store(place: FilePlace, body: ReadableStream<Uint8Array>): Promise<string>;
  /**
   * Gives a stored file one more name.
   *
   * @returns the path that this makes.
   */
  link(path: string, place: FilePlace): Promise<string>;
  /** Reads a file; undefined where an absolute path leads to none. */
  read(path: string): Promise<FileContent | undefined>;
}
