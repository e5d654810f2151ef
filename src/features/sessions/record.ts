import type { Evidence } from "../../lib/database/schema/browser-sessions.ts";
import type { MainContext, TabList, Viewport } from "../../platform/browser/index.ts";
import type { UnfinishedRecording } from "../recordings/index.ts";
import type { TelemetryConfig } from "../telemetry/index.ts";
import type { DriverState } from "../webdriver/index.ts";
import type { PersistedActivity } from "./activity.ts";
import type { EndReason } from "./end-reason.ts";
import type { Handoff } from "./handoff-schema.ts";
import type { StartedOptions } from "./options.ts";

/** The start parameters of a session's object. */
export interface SessionStart extends StartedOptions {
  id: string;
  organizationId: string;
  /** Empty: the default project. */
  projectId: string;
  /** The session ends with this invocation; null: it belongs to none. */
  invocationId: string | null;
  timeoutMs: number;
  viewport: Viewport;
  profile: LoadedProfile | null;
  /** How often the session's URLs were revoked. */
  urlGeneration: number;
  telemetry: TelemetryConfig;
  /** Whether a recording of the whole session is to begin. */
  isRecorded: boolean;
  /** The organization's share of browser launches. */
  weight: number;
  /** Whether it ends, or returns to its pool, when its last DevTools connection closes. */
  endsWithConnection?: boolean;
  /** Absent: for as long as the service allows. */
  maxLifetimeMs?: number;
  /** The session's pool, and the properties that each lease ends with. */
  pool?: {
    id: string;
    viewport: Viewport;
    startURL: string | null;
    telemetry?: TelemetryConfig;
  } & SessionReferences;
}

export interface LoadedProfile {
  id: string;
  /** Save the profile when the session ends. */
  saveChanges: boolean;
}

/** References that can be changed while the session is active. */
export type SessionReferences = Pick<SessionStart, "proxyId" | "profile">;

export interface Lease {
  /** Counts the leases of one pool. */
  number: number;
  /** Opened in the front tab; null: the tab stays as it is. */
  startURL: string | null;
  /** Absent: that of the pool. */
  telemetry?: TelemetryConfig;
  /** Absent: it is not. */
  isRecorded?: boolean;
  /** Absent: it does not. */
  endsWithConnection?: boolean;
}

/** The session's state in its object's storage. Times are milliseconds since the epoch. */
export interface SessionRecord extends SessionStart {
  /** `idle`: it waits in its pool; `ended`: the record is a tombstone. */
  phase: "starting" | "idle" | "active" | "ended";
  /** The current lease of a pooled session. */
  lease?: number;
  lastLease?: number;
  /** The window size left by the last lease, while the session is being prepared for the next one. */
  previousViewport?: Viewport;
  /** Absent before the browser is launched and after it is closed. */
  browserId?: string;
  /** The context of the session's pages; absent: the browser's default context. */
  mainContext?: MainContext;
  /** The tabs of a move to another context that is not finished. */
  move?: TabList;
  hasMachine?: boolean;
  /** `details` lists for the session's owner what could not be saved. */
  end?: {
    reason: EndReason;
    at: number;
    details?: string;
    evidence?: Evidence;
    /** Why the platform closed the browser, in its own words. */
    closeReason?: string;
    /** The API key that ended it. */
    apiKeyId?: string | null;
    /** Whether `announceEnd` is done. */
    isAnnounced?: boolean;
  };
  savesBegun?: number;
  /** Whether the events and the screenshot of the ended session are in files. */
  hasFiles?: boolean;
}

const ACTIVITY_KEY = "activity";
const ORIGINS_KEY = "origins";
const SNAPSHOT_KEY = "snapshot";
const LOADED_EXTENSIONS_KEY = "loaded-extensions";
const WEBDRIVER_KEY = "webdriver";
const RECORDING_PREFIX = "recording:";
const HANDOFFS_KEY = "handoffs";

/** What a session's tabs showed at a time in milliseconds since the epoch. */
export interface Snapshot {
  at: number;
  tabs: Evidence["tabs"];
  /** JPEG of the tab in front. */
  picture?: Uint8Array<ArrayBuffer>;
}

/** The extensions that a browser has loaded itself. */
interface LoadedIds {
  browserId: string;
  ids: readonly string[];
}

/** No prefix is the beginning of another one. */
function extensionPrefix(area: string): string {
  return `extension:${encodeURIComponent(area)}:`;
}

/** The storage of a session's object, apart from its record and deadlines. Reading writes nothing. */
export class SessionStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  readActivity(): PersistedActivity | undefined {
    return this.#storage.kv.get<PersistedActivity>(ACTIVITY_KEY);
  }

  /** Does not delay responses until it is on disk: losing the last write only shifts time-outs by moments. */
  writeActivity(activity: PersistedActivity): void {
    void this.#storage.put(ACTIVITY_KEY, activity, { allowUnconfirmed: true });
  }

  /** The origins that the session's pages have visited. A browser does not list them. */
  readOrigins(): string[] {
    return this.#storage.kv.get<string[]>(ORIGINS_KEY) ?? [];
  }

  writeOrigins(origins: readonly string[]): void {
    void this.#storage.put(ORIGINS_KEY, origins, { allowUnconfirmed: true });
  }

  /** The items of an extension's storage area, shared by all pages of the session. */
  readExtensionItems(area: string): Record<string, unknown> {
    const prefix = extensionPrefix(area);
    const items = [...this.#storage.kv.list<unknown>({ prefix })];
    return Object.fromEntries(items.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  /** Replaces all items of an area. @throws when an item exceeds 2 MiB; nothing is changed then. */
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

  readSnapshot(): Snapshot | undefined {
    return this.#storage.kv.get<Snapshot>(SNAPSHOT_KEY);
  }

  writeSnapshot(snapshot: Snapshot): void {
    this.#storage.kv.put(SNAPSHOT_KEY, snapshot);
  }

  deleteSnapshot(): void {
    this.#storage.kv.delete(SNAPSHOT_KEY);
  }

  readWebDriver(): DriverState | undefined {
    return this.#storage.kv.get<DriverState>(WEBDRIVER_KEY);
  }

  writeWebDriver(state: DriverState): void {
    this.#storage.kv.put(WEBDRIVER_KEY, state);
  }

  readRecordings(): UnfinishedRecording[] {
    const entries = this.#storage.kv.list<UnfinishedRecording>({ prefix: RECORDING_PREFIX });
    return [...entries].map(([, recording]) => recording);
  }

  writeRecording(recording: UnfinishedRecording): void {
    void this.#storage.put(`${RECORDING_PREFIX}${recording.id}`, recording, { allowUnconfirmed: true });
  }

  removeRecording(id: string): void {
    this.#storage.kv.delete(`${RECORDING_PREFIX}${id}`);
  }

  readHandoffs(): Handoff[] {
    return this.#storage.kv.get<Handoff[]>(HANDOFFS_KEY) ?? [];
  }

  writeHandoffs(handoffs: readonly Handoff[]): void {
    this.#storage.kv.put(HANDOFFS_KEY, handoffs);
  }
}
