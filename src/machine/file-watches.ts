import type { FileChange, FileSystem } from "durable-machine";
import { ROOT } from "durable-machine";
import { ServiceError } from "../http/errors.ts";
import { EventLog, type EventReader } from "../http/event-log.ts";

/** Events that a watch keeps for readers to come, and for those who do not keep up. */
const MOST_EVENTS = 10_000;

const MOST_WATCHES = 100;

/** A change below a watched directory. */
export interface WatchEvent {
  type: "CREATE" | "WRITE" | "DELETE" | "RENAME";
  /** Absolute, and beginning as the caller wrote the directory. */
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

/** The watches of one machine: each gathers the changes of a directory, or a file, from its start on. */
export class FileWatches {
  readonly #files: FileSystem;
  readonly #watches = new Map<string, Watch>();

  constructor(files: FileSystem) {
    this.#files = files;
  }

  /**
   * @returns the watch's id.
   * @throws FileError ENOENT where nothing is; ServiceError 429 where too many watches are open.
   */
  start(path: string, recursive: boolean): string {
    if (this.#watches.size >= MOST_WATCHES) {
      throw new ServiceError("too_many_requests", `A session may have at most ${MOST_WATCHES} watches`, {
        shouldRetry: false,
      });
    }
    const root = this.#files.resolve(path, ROOT);
    const log = new EventLog<WatchEvent>({ capacity: MOST_EVENTS, sizeOf: () => 1, forgetsUnread: true });
    const stop = this.#files.watch((change) => {
      const below = pathBelow(root, change.path, recursive);
      if (below !== undefined) log.append(toWatchEvent(change, path.replace(/\/+$/, "") + below));
    });
    const id = crypto.randomUUID();
    const end = () => {
      stop();
      log.end();
      this.#watches.delete(id);
    };
    this.#watches.set(id, { log, end });
    return id;
  }

  /** The watch's events from its start on; undefined where there is none of that id. */
  read(id: string): EventReader<WatchEvent> | undefined {
    return this.#watches.get(id)?.log.read();
  }

  /** Ends a watch and whoever reads it. @returns whether there was one. */
  stop(id: string): boolean {
    const watch = this.#watches.get(id);
    watch?.end();
    return watch !== undefined;
  }

  stopAll(): void {
    for (const { end } of this.#watches.values()) end();
  }
}

/** What of a path stands behind a watched one: "" for itself; undefined where the watch does not see it. */
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
