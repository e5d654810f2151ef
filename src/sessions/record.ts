import type { MainContext, TabList, Viewport } from "../browser/index.ts";
import type { PersistedActivity } from "./activity.ts";
import type { EndReason } from "./end-reason.ts";

/** What a session's object is told at its start. */
export interface SessionStart {
  id: string;
  organizationId: string;
  /** The invocation that it ends with; null: it belongs to none. */
  invocationId: string | null;
  timeoutMs: number;
  viewport: Viewport;
  startURL: string | null;
  headless: boolean;
  stealth: boolean;
  kiosk: boolean;
  extensionIds: string[];
  /** The proxy that its traffic goes through; null: none. */
  proxyId: string | null;
  /** The profile that it has loaded, or is to load. */
  profile: LoadedProfile | null;
  /** How often its URLs were revoked. */
  urlGeneration: number;
  /** The pool that it belongs to, and what it is again after each lease. */
  pool?: { id: string; viewport: Viewport; startURL: string | null } & SessionReferences;
}

/** A profile in a session. */
export interface LoadedProfile {
  id: string;
  /** Whether it is saved at the session's end. */
  saveChanges: boolean;
}

/** What a session refers to that may be changed while it lives. */
export type SessionReferences = Pick<SessionStart, "proxyId" | "profile">;

/** A pooled session is handed to somebody. */
export interface Lease {
  /** Counts the leases of one pool. */
  number: number;
  /** Opened in the tab in front; null: that stays as it is. */
  startURL: string | null;
}

/** What records of sessions lack that were started by a version before these. */
const OLDER_DEFAULTS = {
  invocationId: null,
  headless: false,
  stealth: false,
  kiosk: false,
  extensionIds: [],
  proxyId: null,
  profile: null,
  urlGeneration: 0,
};

/** A session as its own object keeps it. Times are milliseconds since the epoch. */
export interface SessionRecord extends SessionStart {
  /**
   * `starting`: its browser is being launched; `idle`: it waits in its pool; `ended`: what is left is a tombstone.
   */
  phase: "starting" | "idle" | "active" | "ended";
  /** Under which lease somebody has it, while it is active and belongs to a pool. */
  lease?: number;
  /** The newest lease that there was. */
  lastLease?: number;
  /** The size that the last lease left the windows with, while the session is prepared for the next one. */
  previousViewport?: Viewport;
  /** Absent until it is launched, and once it is closed for good. */
  browserId?: string;
  /** The context that its pages are in; absent: the browser's default one. */
  mainContext?: MainContext;
  /** The tabs that are to be opened there, until what was there before is closed. */
  move?: TabList;
  /** Whether there is a machine to end. */
  hasMachine?: boolean;
  /** `details`: what the end could not do, for the session's owner. */
  end?: { reason: EndReason; at: number; details?: string };
  /** How often the save of its profile has begun. */
  savesBegun?: number;
}

const RECORD_KEY = "session";
const ACTIVITY_KEY = "activity";
const ORIGINS_KEY = "origins";
const LOADED_EXTENSIONS_KEY = "loaded-extensions";

/** Which extensions a browser has loaded itself. */
interface LoadedIds {
  browserId: string;
  ids: readonly string[];
}

/** No area's is the beginning of another's. */
function extensionPrefix(area: string): string {
  return `extension:${encodeURIComponent(area)}:`;
}

/** What a session's object keeps in its storage, apart from its deadlines. Reading writes nothing. */
export class SessionStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  readRecord(): SessionRecord | undefined {
    const stored = this.#storage.kv.get<SessionRecord>(RECORD_KEY);
    return stored === undefined ? undefined : { ...OLDER_DEFAULTS, ...stored };
  }

  writeRecord(record: SessionRecord): void {
    this.#storage.kv.put(RECORD_KEY, record);
  }

  readActivity(): PersistedActivity | undefined {
    return this.#storage.kv.get<PersistedActivity>(ACTIVITY_KEY);
  }

  /**
   * Notes the last activity without holding back answers until it is on disk: losing the very last note shifts
   * a time-out by moments, waiting for it would slow down every call.
   */
  writeActivity(activity: PersistedActivity): void {
    void this.#storage.put(ACTIVITY_KEY, activity, { allowUnconfirmed: true });
  }

  /** The origins that its pages have visited, which a browser does not tell afterwards. */
  readOrigins(): string[] {
    return this.#storage.kv.get<string[]>(ORIGINS_KEY) ?? [];
  }

  writeOrigins(origins: readonly string[]): void {
    void this.#storage.put(ORIGINS_KEY, origins, { allowUnconfirmed: true });
  }

  /** What a storage area of an extension keeps, over all pages of the session. */
  readExtensionItems(area: string): Record<string, unknown> {
    const prefix = extensionPrefix(area);
    const items = [...this.#storage.kv.list<unknown>({ prefix })];
    return Object.fromEntries(items.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  /** Puts items in the place of all that an area keeps. @throws when one has more than 2 MiB; nothing is changed then. */
  writeExtensionItems(area: string, items: Record<string, unknown>): void {
    const { kv } = this.#storage;
    const prefix = extensionPrefix(area);
    this.#storage.transactionSync(() => {
      const before = this.readExtensionItems(area);
      for (const name of Object.keys(before)) {
        if (!Object.hasOwn(items, name)) kv.delete(`${prefix}${name}`);
      }
      for (const [name, value] of Object.entries(items)) {
        if (JSON.stringify(before[name]) !== JSON.stringify(value)) kv.put(`${prefix}${name}`, value);
      }
    });
  }

  readLoadedExtensions(): LoadedIds | undefined {
    return this.#storage.kv.get<LoadedIds>(LOADED_EXTENSIONS_KEY);
  }

  writeLoadedExtensions(loaded: LoadedIds): void {
    this.#storage.kv.put(LOADED_EXTENSIONS_KEY, loaded);
  }

  async removeEverything(): Promise<void> {
    await this.#storage.deleteAll();
  }
}
