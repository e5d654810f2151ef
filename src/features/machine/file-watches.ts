import type { FileChange, MachineFiles } from "durable-machine";
import { ServiceError } from "../../lib/common/errors.ts";
import { EventLog, type EventReader } from "../../lib/http/event-log.ts";
import { readLines } from "./file-lines.ts";

const MAX_EVENTS = 10_000;

const MAX_WATCHES = 100;

export interface WatchEvent {
  type: "CREATE" | "WRITE" | "DELETE" | "RENAME";
  /** Begins with the directory as the caller wrote it. */
  path: string;
  name: string;
  is_dir: boolean;
}

const EVENT_TYPES: Record<FileChange["type"], WatchEvent["type"]> = {
  create: "CREATE",
  write: "WRITE",
  delete: "DELETE",
  rename: "RENAME",
};

interface Watch {
  log: EventLog<WatchEvent>;
  end: () => void;
}

export class FileWatches {
  readonly #files: MachineFiles;
  readonly #watches = new Map<string, Watch>();

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  /** @returns the watch's id. @throws FileError ENOENT without the path; ServiceError 429 at the limit. */
  async start(path: string, recursive: boolean): Promise<string> {
    if (this.#watches.size >= MAX_WATCHES) {
      throw new ServiceError("too_many_requests", `A session may have at most ${MAX_WATCHES} watches`, {
        shouldRetry: false,
      });
    }
    const log = new EventLog<WatchEvent>({ capacity: MAX_EVENTS, sizeOf: () => 1, dropsUnread: true });
    const id = crypto.randomUUID();
    let stop: (() => void) | undefined;
    const end = () => {
      stop?.();
      log.end();
      this.#watches.delete(id);
    };
    // Counted before any await, so that concurrent starts respect the limit.
    this.#watches.set(id, { log, end });
    try {
      const root = await this.#files.resolve(path);
      stop = await this.#files.watch(root, (change) => {
        const below = pathBelow(root, change.path, recursive);
        if (below !== undefined) log.append(toWatchEvent(change, path.replace(/(?<!\/)\/+$/, "") + below));
      });
    } catch (error) {
      end();
      throw error;
    }
    // The machine may have ended in the meantime.
    if (!this.#watches.has(id)) stop();
    return id;
  }

  /** Reads the lines of a file; see {@link readLines}. Counts as a watch until the reader is closed. */
  async readLines(path: string, follows: boolean): Promise<EventReader<string[]>> {
    // The file, its directories and the targets of symlinks may appear anywhere.
    const id = await this.start("/", true);
    const close = () => void this.stop(id);
    const lines = readLines(this.#files, path, follows ? this.read(id) : undefined);
    try {
      await lines.next();
    } catch (error) {
      close();
      throw error;
    }
    return { next: async () => (await lines.next()).value, close };
  }

  read(id: string): EventReader<WatchEvent> | undefined {
    return this.#watches.get(id)?.log.read();
  }

  stop(id: string): boolean {
    const watch = this.#watches.get(id);
    watch?.end();
    return watch !== undefined;
  }

  stopAll(): void {
    for (const { end } of this.#watches.values()) end();
  }
}

/** The path relative to a watched one; "" for itself, undefined if the watch does not cover it. */
export function pathBelow(root: string, path: string, recursive: boolean): string | undefined {
  if (path === root) return "";
  const prefix = root === "/" ? "/" : `${root}/`;
  if (!path.startsWith(prefix)) return undefined;
  const below = path.slice(prefix.length);
  return recursive || !below.includes("/") ? `/${below}` : undefined;
}

function toWatchEvent({ type, isDirectory }: FileChange, path: string): WatchEvent {
  return {
    type: EVENT_TYPES[type],
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    is_dir: isDirectory,
  };
}
