import { RpcTarget } from "cloudflare:workers";
import type { FileStatus, MachineFiles } from "durable-machine";
import { badRequest, conflict, notFound } from "../common/errors.ts";
import type { Outcome } from "../common/outcome.ts";
import { toEventStream } from "../http/event-stream.ts";
import { entryType } from "./entry-type.ts";
import { describeMode } from "./file-mode.ts";
import { isFileError, toFileRefusal } from "./file-refusal.ts";
import type { FileWatches } from "./file-watches.ts";
import { Uploads } from "./uploads.ts";
import { USERS } from "./users.ts";
import { zipDirectory } from "./zip-directory.ts";

/** Permission bits of files and directories whose caller gives none. */
const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

/** What the list of a directory may take, at most, and what an entry does without its names. */
const MAX_LIST_BYTES = 28 * 1024 * 1024;
const BYTES_OF_ENTRY = 120;

export interface FileParts {
  files: MachineFiles;
  watches: FileWatches;
}

/**
 * Runs what one caller asks for, or refuses it. What `work` begins with `beginUse` lasts longer than its answer:
 * the reading of a stream.
 */
export type RunOnFiles = <T>(
  work: (parts: FileParts, beginUse: () => Disposable) => T | Promise<T>,
) => Promise<Outcome<T>>;

/** A stream over RPC, and its length. */
export interface FileContent {
  size: number;
  body: ReadableStream<Uint8Array>;
}

/** A file or directory as callers see it. */
export interface FileInfo {
  /** Last part of the path. */
  name: string;
  path: string;
  is_dir: boolean;
  /** Type and permissions, such as `-rw-r--r--`. */
  mode: string;
  /** 0 for directories. */
  size_bytes: number;
  /** ISO 8601. */
  mod_time: string;
}

/** A machine's files for callers in other Workers. They act as root; paths arrive checked to be absolute. */
export class FileCalls extends RpcTarget {
  readonly #run: RunOnFiles;

  constructor(run: RunOnFiles) {
    super();
    this.#run = run;
  }

  /** Whether the caller may use this machine: to be asked before a stream is sent that can be sent only once. */
  check(): Promise<Outcome<void>> {
    return this.#run(() => undefined);
  }

  /** @param mode permission bits, which a directory that is there gets too; absent: those of a new one, 755. */
  createDirectory(path: string, mode?: number): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      await files.makeDirectory(path, { mode: DIRECTORY_MODE, parents: true });
      // The umask does not apply to a mode that was asked for.
      if (mode !== undefined) await files.changeMode(path, mode);
    });
  }

  /** @param mode permission bits, which a file that is there gets too; absent: those of a new one, 644. */
  writeFile(path: string, body: ReadableStream<Uint8Array>, mode?: number): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      await files.write(path, body, { mode: FILE_MODE, parents: true });
      if (mode !== undefined) await files.changeMode(path, mode);
    });
  }

  readFile(path: string): Promise<Outcome<FileContent>> {
    return this.#on({ what: "file", field: "path" }, async ({ files }, beginUse) => {
      const { size, body } = await files.read(path);
      return { size, body: whileRead(body, beginUse()) };
    });
  }

  info(path: string): Promise<Outcome<FileInfo>> {
    return this.#on({ what: "path", field: "path" }, async ({ files }) => {
      const name = path.replace(/\/+$/, "").split("/").at(-1) || "/";
      return toFileInfo(await files.status(path), name, path);
    });
  }

  list(path: string): Promise<Outcome<FileInfo[]>> {
    return this.#on({ what: "directory", field: "path" }, async ({ files }) => {
      const directory = path.replace(/\/+$/, "");
      const entries = await files.list(path);
      requireSendable(entries, directory);
      return entries.map((entry) => toFileInfo(entry, entry.name, `${directory}/${entry.name}`));
    });
  }

  move(source: string, destination: string): Promise<Outcome<void>> {
    return this.#on({ what: "source", field: "src_path" }, async ({ files }) => {
      if ((await entryType(files, destination)) === "directory") {
        throw conflict("dest_path: a directory is there");
      }
      try {
        await files.rename(source, destination);
      } catch (error) {
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
      // A change of the owner takes set-uid and set-gid bits away, so the mode comes after it.
      if (uid !== undefined || gid !== undefined) await files.changeOwner(path, { uid, gid });
      await files.changeMode(path, mode);
    });
  }

  /** Keeps a file of an upload whose destination may come after it. @returns what it is to be named by. */
  stage(body: ReadableStream<Uint8Array>): Promise<Outcome<string>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) => new Uploads(files).stage(body));
  }

  /** Puts staged files where they belong: all, or where one cannot be, none. */
  placeFiles(uploads: { staged: string; destination: string }[]): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) => new Uploads(files).place(uploads));
  }

  /** Unpacks a staged zip. @throws ServiceError 400 where it is none, or would write outside its destination. */
  unzip(staged: string, destination: string): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) =>
      new Uploads(files).unzip(staged, destination),
    );
  }

  /** Forgets staged files whose upload came to nothing. */
  discard(staged: string[]): Promise<Outcome<void>> {
    return this.#on({ what: "path", field: "dest_path" }, ({ files }) => new Uploads(files).discard(staged));
  }

  downloadZip(path: string): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#on({ what: "directory", field: "path" }, async ({ files }, beginUse) => {
      if ((await files.status(path)).type !== "directory") {
        throw badRequest({ field: "path", message: "path is not a directory" });
      }
      return whileRead(zipDirectory(files, path), beginUse());
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

  stopWatch(id: string): Promise<Outcome<void>> {
    return this.#run(({ watches }) => {
      if (!watches.stop(id)) throw notFound("watch");
    });
  }

  /** Runs file operations, whose refusals are told in the words of the request. */
  #on<T>(
    words: { what: string; field: string },
    work: (parts: FileParts, beginUse: () => Disposable) => T | Promise<T>,
  ): Promise<Outcome<T>> {
    return this.#run(async (parts, beginUse) => {
      try {
        return await work(parts, beginUse);
      } catch (error) {
        throw isFileError(error) ? toFileRefusal(error, words) : error;
      }
    });
  }
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

/**
 * An answer passes between objects in one message, which the platform limits to 32 MiB.
 *
 * @throws ServiceError 400 where the list would not fit.
 */
function requireSendable(entries: readonly { name: string }[], directory: string): void {
  const each = BYTES_OF_ENTRY + 2 * directory.length;
  const bytes = entries.reduce((sum, { name }) => sum + each + 4 * name.length, 0);
  if (bytes <= MAX_LIST_BYTES) return;
  const message = `its ${entries.length} entries are too many for one answer; list it with a command`;
  throw badRequest({ field: "path", message });
}

/** @throws ServiceError 400 where nobody has the name. */
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

/** A stream whose reading is a use of the session until it is over, by its end or by its reader's. */
function whileRead(body: ReadableStream<Uint8Array>, use: Disposable): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  // What breaks one end breaks the other: nobody is left to be told.
  void body
    .pipeTo(writable)
    .catch(() => undefined)
    .finally(() => use[Symbol.dispose]());
  return readable;
}
