import type { MachineFiles } from "durable-machine";
import { ArchiveError } from "../../lib/archives/archive-error.ts";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import { entryType } from "./entry-type.ts";
import { unzipInto } from "./unzip.ts";

/** Accessible to root only. */
const SPOOL_DIRECTORY = "/var/spool/uploads";

const FILE_MODE = 0o644;

/** Stages uploaded files until all have arrived, then moves them to their destinations. */
export class Uploads {
  readonly #files: MachineFiles;

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  static async clear(files: MachineFiles): Promise<void> {
    if ((await entryType(files, SPOOL_DIRECTORY)) !== undefined) await files.removeTree(SPOOL_DIRECTORY);
  }

  async stage(body: ReadableStream<Uint8Array>): Promise<string> {
    await this.#files.makeDirectory(SPOOL_DIRECTORY, { mode: 0o700, parents: true });
    const name = crypto.randomUUID();
    await this.#files.write(stagedPath(name), body, { mode: FILE_MODE });
    return name;
  }

  /** Moves all files or none. @throws ServiceError 400, or a file error. */
  async place(uploads: { staged: string; destination: string }[]): Promise<void> {
    for (const { destination } of uploads) await this.#requirePlaceable(destination);
    await this.#files.place(
      uploads.map(({ staged, destination }) => ({ source: stagedPath(staged), destination })),
    );
  }

  /** @throws a file error EEXIST if the destination exists. */
  async placeNew(staged: string, destination: string): Promise<void> {
    await this.#files.rename(stagedPath(staged), destination, { replace: false });
  }

  async unzip(staged: string, destination: string): Promise<void> {
    const path = stagedPath(staged);
    try {
      await unzipInto(this.#files, path, destination);
    } catch (error) {
      if (error instanceof ArchiveError) throw toRefusal(error);
      throw error;
    } finally {
      await this.#files.unlink(path);
    }
  }

  async discard(staged: string[]): Promise<void> {
    for (const name of staged) {
      const path = stagedPath(name);
      if ((await entryType(this.#files, path)) !== undefined) await this.#files.unlink(path);
    }
  }

  async #requirePlaceable(destination: string): Promise<void> {
    if (destination.endsWith("/")) throw badRequest({ field: "dest_path", message: "names a directory" });
    if ((await entryType(this.#files, destination)) === undefined) return;
    const isDirectory = await this.#files.status(destination).then(
      ({ type }) => type === "directory",
      () => false,
    );
    if (isDirectory) throw badRequest({ field: "dest_path", message: `${destination} is a directory` });
  }
}

function toRefusal({ message, reason }: ArchiveError): ServiceError {
  return reason === "too_large"
    ? new ServiceError("payload_too_large", message, { shouldRetry: false })
    : badRequest({ field: "zip_file", message: `invalid zip file: ${message}` });
}

function stagedPath(name: string): string {
  if (!/^[\da-f-]{36}$/.test(name)) throw new ServiceError("bad_request", "unknown upload");
  return `${SPOOL_DIRECTORY}/${name}`;
}
