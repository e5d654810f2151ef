import type { FileSystem } from "durable-machine";
import { ROOT } from "durable-machine";
import { ArchiveError } from "../archives/archive-error.ts";
import { badRequest, ServiceError } from "../http/errors.ts";
import { unzipInto } from "./unzip.ts";

/** Where files of uploads wait for their destination; for root's eyes only. */
const SPOOL_DIRECTORY = "/var/spool/uploads";

const FILE_MODE = 0o644;

/** Files that callers send together: they wait aside until all are there, then take their places. */
export class Uploads {
  readonly #files: FileSystem;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  /** Forgets what uploads left that a crash of the service ended. */
  static async clear(files: FileSystem): Promise<void> {
    if (files.exists(SPOOL_DIRECTORY, ROOT)) await files.removeTree(SPOOL_DIRECTORY, ROOT);
  }

  /** @returns what the file is to be named by. */
  async stage(body: ReadableStream<Uint8Array>): Promise<string> {
    this.#files.makeDirectory(SPOOL_DIRECTORY, ROOT, { mode: 0o700, parents: true });
    const name = crypto.randomUUID();
    await this.#files.write(stagedPath(name), body, ROOT, { mode: FILE_MODE });
    return name;
  }

  /**
   * Puts staged files where they belong.
   *
   * @throws ServiceError 400 and FileError; then no destination has changed.
   */
  place(uploads: { staged: string; destination: string }[]): void {
    this.#files.atomically(() => {
      for (const { staged, destination } of uploads) {
        this.#requirePlaceable(destination);
        this.#place(stagedPath(staged), destination);
      }
    });
  }

  async unzip(staged: string, destination: string): Promise<void> {
    const path = stagedPath(staged);
    try {
      await unzipInto(this.#files, path, destination);
    } catch (error) {
      if (error instanceof ArchiveError) throw toRefusal(error);
      throw error;
    } finally {
      this.#files.unlink(path, ROOT);
    }
  }

  discard(staged: string[]): void {
    for (const name of staged) {
      if (this.#files.exists(stagedPath(name), ROOT)) this.#files.unlink(stagedPath(name), ROOT);
    }
  }

  #requirePlaceable(destination: string): void {
    if (destination.endsWith("/")) throw badRequest({ field: "dest_path", message: "names a directory" });
    if (!this.#files.exists(destination, ROOT)) return;
    if (this.#files.status(destination, ROOT).type === "directory") {
      throw badRequest({ field: "dest_path", message: `${destination} is a directory` });
    }
  }

  /** A file that is there keeps its mode and owner, and a symlink goes on pointing to it. */
  #place(staged: string, destination: string): void {
    if (!this.#files.exists(destination, ROOT)) {
      this.#files.makeDirectory(parentOf(destination), ROOT, { parents: true });
      this.#files.rename(staged, destination, ROOT);
      return;
    }
    const path = this.#files.resolve(destination, ROOT);
    const { uid, gid, mode } = this.#files.status(path, ROOT);
    this.#files.changeOwner(staged, ROOT, { uid, gid });
    this.#files.changeMode(staged, ROOT, mode);
    this.#files.rename(staged, path, ROOT);
  }
}

function toRefusal({ message, reason }: ArchiveError): ServiceError {
  return reason === "too_large"
    ? new ServiceError("payload_too_large", message, { shouldRetry: false })
    : badRequest({ field: "zip_file", message: `invalid zip file: ${message}` });
}

/** @throws ServiceError 400 for what no upload was ever named. */
function stagedPath(name: string): string {
  if (!/^[\da-f-]{36}$/.test(name)) throw new ServiceError("bad_request", "unknown upload");
  return `${SPOOL_DIRECTORY}/${name}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
