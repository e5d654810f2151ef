import type { FileChange, MachineFiles } from "durable-machine";
import { ServiceError } from "../common/errors.ts";
import { EventLog, type EventReader } from "../http/event-log.ts";

/** Events that a watch keeps for readers to come, and for those who do not keep up. */
const MAX_EVENTS = 10_000;

const MAX_WATCHES = 100;

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
  readonly #files: MachineFiles;
  readonly #watches = new Map<string, Watch>();

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  /**
   * @returns the watch's id.
   * @throws FileError ENOENT where nothing is; ServiceError 429 where too many watches are open.
   */
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
    // It counts from here on, so that no two starts together exceed the limit.
    this.#watches.set(id, { log, end });
    try {
      const root = await this.#files.resolve(path);
      stop = await this.#files.watch(root, (change) => {
        const below = pathBelow(root, change.path, recursive);
        if (below !== undefined) log.append(toWatchEvent(change, path.replace(/\/+$/, "") + below));
      });
    } catch (error) {
      end();
      throw error;
    }
    // The machine may have ended meanwhile.
    if (!this.#watches.has(id)) stop();
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
