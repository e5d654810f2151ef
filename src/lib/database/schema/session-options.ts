import { integer, text } from "drizzle-orm/sqlite-core";
import { MACHINES } from "../../common/machines.ts";
import { REGIONS } from "../../common/region-names.ts";

/** What a session's telemetry records. */
export interface TelemetryConfig {
  /** Whether the default events are recorded. */
  isOn: boolean;
  /** Categories that are recorded in full (true) or not at all (false). */
  categories: Partial<Record<string, boolean>>;
  /** Whether bodies of requests and responses are recorded. */
  bodies: boolean;
  /** Where the events are sent, with the labels that they carry there. */
  export?: { destinationId: string; name: string | null; tags: Record<string, string> };
}

/**
 * What a caller chooses for the browser of a session, or for those of a pool: columns of both tables. A new
 * option has a default here, its fields in the `schema.ts` of sessions, and both directions between them in
 * `options.ts`.
 */
export function sessionOptionColumns() {
  return {
    headless: integer("headless", { mode: "boolean" }).notNull(),
    stealth: integer("stealth", { mode: "boolean" }).notNull(),
    kioskMode: integer("kiosk_mode", { mode: "boolean" }).notNull(),
    timeoutSeconds: integer("timeout_seconds").notNull(),
    viewportWidth: integer("viewport_width").notNull(),
    viewportHeight: integer("viewport_height").notNull(),
    viewportRefreshRate: integer("viewport_refresh_rate").notNull(),
    startURL: text("start_url"),
    extensionIds: text("extension_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    proxyId: text("proxy_id"),
    profileId: text("profile_id"),
    /** Null: the default. */
    telemetry: text("telemetry", { mode: "json" }).$type<TelemetryConfig>(),
    /** Whether the whole session, or each lease, is recorded as a video. */
    record: integer("record", { mode: "boolean" }).notNull().default(false),
    /** Where the session's object and its broker run; null: where the caller was. */
    region: text("region", { enum: REGIONS }),
    /** What runs its commands and keeps its files. */
    machine: text("machine", { enum: MACHINES }).notNull().default("simulated"),
  };
}
