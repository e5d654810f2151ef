import { RpcTarget } from "cloudflare:workers";
import type { FileStatus, MachineFiles } from "durable-machine";
import { badRequest, conflict, notFound } from "../../lib/common/errors.ts";
import type { Outcome } from "../../lib/common/outcome.ts";
import { toBatchStream, toEventStream, toLogEvent } from "../../lib/http/event-stream.ts";
import { entryType } from "./entry-type.ts";
import { describeMode } from "./file-mode.ts";
import { isFileError, toFileError } from "./file-refusal.ts";
import type { FileWatches } from "./file-watches.ts";
import { Uploads } from "./uploads.ts";
import { USERS } from "./users.ts";
import { zipDirectory } from "./zip-directory.ts";

/** The runtime's words for a stream whose sender has left. */
const BROKEN_OFF = /disconnected prematurely|Network connection lost/;

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

/** Keeps a directory's list below the RPC limit; an entry takes ENTRY_BYTES besides its names. */
const MAX_LIST_BYTES = 28 * 1024 * 1024;
const ENTRY_BYTES = 120;

export interface FileContext {
  files: MachineFiles;
  watches: FileWatches;
}

/** The use that `beginUse` begins may outlive the response, for example while a stream is read. */
export type RunOnFiles = <T>(
  work: (context: FileContext, beginUse: () => Disposable) => T | Promise<T>,
) => Promise<Outcome<T>>;

export interface FileDownload {
  size: number;
  body: ReadableStream<Uint8Array>;
}

export interface FileInfo {
  name: string;
  path: string;
  is_dir: boolean;
  mode: string;
  size_bytes: number;
  mod_time: string;
}

/** The files of a machine, for other Workers. Calls act as root; paths are validated and absolute. */
export class FileCalls extends RpcTarget {
  readonly #run: RunOnFiles;

  constructor(run: RunOnFiles) {
    super();
    this.#run = run;
  }

  /** Checks access before a stream is sent, because a stream can be sent only once. */
  check(): Promise<Outcome<void>> {
    return this.#run(() => undefined);
  }

  /** @param mode also changes an existing directory. */
  createDirectory(path: string, mode?: number): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      await files.makeDirectory(path, { mode: DIRECTORY_MODE, parents: true });
      // An explicit mode ignores the umask.
      if (mode !== undefined) await files.changeMode(path, mode);
    });
  }

  /** @param mode also changes an existing file. */
  writeFile(path: string, body: ReadableStream<Uint8Array>, mode?: number): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      await files.write(path, body, { mode: FILE_MODE, parents: true }).catch(refuseBrokenOff);
      if (mode !== undefined) await files.changeMode(path, mode);
    });
  }

  readFile(path: string): Promise<Outcome<FileDownload>> {
    return this.#on({ what: "file", field: "path" }, async ({ files }, beginUse) => {
      const { size, body } = await files.read(path);
      return { size, body: endUseAfterRead(body, beginUse()) };
    });
  }

  info(path: string): Promise<Outcome<FileInfo>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      const name =
        path
          .replace(/(?<!\/)\/+$/, "")
          .split("/")
          .at(-1) || "/";
      return toFileInfo(await files.status(path), name, path);
    });
  }

  list(path: string): Promise<Outcome<FileInfo[]>> {
    return this.#on({ what: "directory", field: "path" }, async ({ files }) => {
      const directory = path.replace(/(?<!\/)\/+$/, "");
      const entries = await files.list(path);
      requireSendable(entries, directory);
      return entries.map((entry) => toFileInfo(entry, entry.name, `${directory}/${entry.name}`));
    });
  }

  move(source: string, destination: string): Promise<Outcome<void>> {
    return this.#on({ what: "source", field: "src_path" }, async ({ files }) => {
      if ((await entryType(files, destination)) === "directory") {
        throw conflict("dest_path: is a directory");
      }
      try {
        await files.rename(source, destination);
      } catch (error) {
        if (isFileError(error) && error.code === "EINVAL") {
          throw badRequest({ field: "dest_path", message: "a directory cannot be moved into itself" });
        }
        const isMissing = isFileError(error) && error.code === "ENOENT";
        if (!isMissing || (await entryType(files, source)) === undefined) throw error;
        throw notFound("dest_path: parent directory");
      }
    });
  }

  deleteFile(path: string): Promise<Outcome<void>> {
    return this.#on({ what: "file", field: "path" }, ({ files }) => files.unlink(path));
  }

  deleteDirectory(path: string): Promise<Outcome<void>> {
    return this.#on({ what: "directory", field: "path" }, async ({ files }) => {
      const { type } = await files.status(path, { followSymlink: false });
      if (type !== "directory") throw badRequest({ field: "path", message: "not a directory" });
      await files.removeTree(path);
    });
  }

  setPermissions(path: string, mode: number, owner?: string, group?: string): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      const uid = readOwner("owner", owner, (name) => USERS.find(name)?.uid);
      const gid = readOwner("group", group, (name) => USERS.findGroup(name));
      await files.status(path);
      // A change of owner clears the set-uid and set-gid bits.
      if (uid !== undefined || gid !== undefined) await files.changeOwner(path, { uid, gid });
      await files.changeMode(path, mode);
    });
  }

  /** Stores an upload whose destination may arrive after it. @returns its name. */
  stage(body: ReadableStream<Uint8Array>): Promise<Outcome<string>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) =>
      new Uploads(files).stage(body).catch(refuseBrokenOff),
    );
  }

  /** Moves all staged files to their destinations, or none. */
  placeFiles(uploads: { staged: string; destination: string }[]): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) => new Uploads(files).place(uploads));
  }

  /** @throws ServiceError 400 if the file is not a zip or would write outside the destination. */
  unzip(staged: string, destination: string): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) =>
      new Uploads(files).unzip(staged, destination),
    );
  }

  discard(staged: string[]): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) => new Uploads(files).discard(staged));
  }

  downloadZip(path: string): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#on({ what: "directory", field: "path" }, async ({ files }, beginUse) => {
      if ((await files.status(path)).type !== "directory") {
        throw badRequest({ field: "path", message: "path is not a directory" });
      }
      return endUseAfterRead(zipDirectory(files, path), beginUse());
    });
  }

  startWatch(path: string, recursive: boolean): Promise<Outcome<string>> {
    return this.#on({ what: "path", field: "path" }, ({ watches }) => watches.start(path, recursive));
  }

  watchEvents(id: string): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#run(({ watches }, beginUse) => {
      const reader = watches.read(id);
      if (reader === undefined) throw notFound("watch");
      const use = beginUse();
      return toEventStream(
        reader,
        (event) => event,
        () => use[Symbol.dispose](),
      );
    });
  }

  /** The lines of a file as server-sent events; see {@link FileWatches.readLines}. */
  streamLines(path: string, follows: boolean): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#on({ what: "file", field: "path" }, async ({ watches }, beginUse) => {
      const lines = await watches.readLines(path, follows);
      const use = beginUse();
      return toBatchStream(
        lines,
        (line) => toLogEvent(line),
        () => use[Symbol.dispose](),
      );
    });
  }

  stopWatch(id: string): Promise<Outcome<void>> {
    return this.#run(({ watches }) => {
      if (!watches.stop(id)) throw notFound("watch");
    });
  }

  #on<T>(
    words: { what: string; field: string },
    work: (context: FileContext, beginUse: () => Disposable) => T | Promise<T>,
  ): Promise<Outcome<T>> {
    return this.#run(async (context, beginUse) => {
      try {
        return await work(context, beginUse);
      } catch (error) {
        throw isFileError(error) ? toFileError(error, words) : error;
      }
    });
  }
}

/** A client that leaves is not a failure of the machine. */
function refuseBrokenOff(error: unknown): never {
  if (!(error instanceof Error && BROKEN_OFF.test(error.message))) throw error;
  throw badRequest({ field: "", message: "the content broke off" });
}

function toFileInfo(status: FileStatus, name: string, path: string): FileInfo {
  const isDirectory = status.type === "directory";
  return {
    name,
    path,
    is_dir: isDirectory,
    mode: describeMode(status),
    size_bytes: isDirectory ? 0 : status.size,
    mod_time: new Date(status.modifiedAt).toISOString(),
  };
}

/** The platform limits an RPC message to 32 MiB. @throws ServiceError 400 if the list is too large. */
function requireSendable(entries: readonly { name: string }[], directory: string): void {
  const each = ENTRY_BYTES + 2 * directory.length;
  const bytes = entries.reduce((sum, { name }) => sum + each + 4 * name.length, 0);
  if (bytes <= MAX_LIST_BYTES) return;
  const message = `its ${entries.length} entries are too many for one response; list them with a command`;
  throw badRequest({ field: "path", message });
}

function readOwner(
  field: string,
  name: string | undefined,
  find: (name: string) => number | undefined,
): number | undefined {
  if (name === undefined || name === "") return undefined;
  const number = find(name) ?? (/^\d{1,9}$/.test(name) ? Number(name) : undefined);
  if (number === undefined) throw badRequest({ field, message: `unknown ${field} ${name}` });
  return number;
}

/** Ends the use when the stream ends or its reader disconnects. */
function endUseAfterRead(body: ReadableStream<Uint8Array>, use: Disposable): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  void body
    .pipeTo(writable)
    .catch(() => undefined)
    .finally(() => use[Symbol.dispose]());
  return readable;
}
