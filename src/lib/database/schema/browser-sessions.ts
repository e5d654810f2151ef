import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";
import { sessionOptionColumns } from "./session-options.ts";

export const END_REASONS = [
  "deleted",
  "inactivity",
  "lifetime",
  "browser_lost",
  "organization_ended",
  "released",
  "pool_deleted",
  "discarded",
  "invocation_ended",
  "connection_closed",
] as const;

/** What an ended session last showed. */
export interface Evidence {
  tabs: { url: string; title: string }[];
  /** When the screenshot was taken, in milliseconds since the epoch; null: there is none. */
  screenshotAt: number | null;
}

/**
 * The index of sessions, and what outlives a session. The BrowserSession object holds the live state. `POST
 * /browsers` inserts the row as `starting` if a limit, a name or another resource must be claimed before the
 * launch; the object makes it `active`, or inserts it as `active`. After that, the object writes it, except
 * for `name`, `tags`, viewport, proxy and profile, which `PATCH` writes. A failed start removes it, and the
 * sweep `DELETED_SESSION_RETENTION_SECONDS` after the end.
 */
export const browserSessions = sqliteTable(
  "browser_sessions",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    /**
     * `starting` counts against the limit; `idle` waits in a pool. Both are hidden from callers. The row of a
     * session that ends while it is idle is removed.
     */
    state: text("state", { enum: ["starting", "idle", "active", "ended"] }).notNull(),
    name: text("name"),
    tags: text("tags", { mode: "json" }).$type<Record<string, string>>().notNull(),
    ...sessionOptionColumns(),
    persistenceId: text("persistence_id"),
    /** When the request was accepted; in a pool, when it was leased or returned. */
    createdAt: integer("created_at").notNull(),
    deletedAt: integer("deleted_at"),
    endReason: text("end_reason", { enum: END_REASONS }),
    /** Only rows without a pool count against `max_concurrent_sessions`. */
    poolId: text("pool_id"),
    /** The pool's current name; once the session ends, the last one. */
    poolName: text("pool_name"),
    /** Number of the current lease of a pooled session. Its URLs are valid for this lease only. */
    lease: integer("lease"),
    /** It becomes `active` only if the invocation has not finished. */
    invocationId: text("invocation_id"),
    /** What could not be done at the end, and what is known of the cause. */
    endDetails: text("end_details"),
    /** The API key that ended the session; null: a run did, or no caller. */
    endedByApiKeyId: text("ended_by_api_key_id"),
    /** The API key that created or leased the session; null for keys of runs and idle sessions. */
    apiKeyId: text("api_key_id"),
    /** How often its URLs were revoked; a URL's token contains the number of its time. */
    urlGeneration: integer("url_generation").notNull().default(0),
    /** Tabs of the ended session, and the time of its last screenshot. */
    evidence: text("evidence", { mode: "json" }).$type<Evidence>(),
    /** Open connections of clients, written shortly after each change. */
    clients: integer("clients").notNull().default(0),
    /** Open live views. */
    viewers: integer("viewers").notNull().default(0),
    /** Since when nothing uses the session; null while it is in use. */
    idleSince: integer("idle_since"),
    /** Its pending handoffs, as the API presents them; null: there are none. */
    handoffs: text("handoffs", { mode: "json" }).$type<{ handoff_id: string }[]>(),
    /** How long standby browsers waited until the session took one; see `takeReady`. */
    standbyMs: integer("standby_ms").notNull().default(0),
    projectId: projectId(),
  },
  (table) => [
    index("browser_sessions_all").on(table.organizationId, table.createdAt, table.id),
    index("browser_sessions_of_project").on(table.organizationId, table.projectId, table.createdAt, table.id),
    index("browser_sessions_active")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`state = 'active'`),
    index("browser_sessions_with_handoffs")
      .on(table.organizationId, table.projectId)
      .where(sql`state = 'active' AND handoffs IS NOT NULL`),
    index("browser_sessions_ended")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`state = 'ended'`),
    index("browser_sessions_by_creation").on(table.createdAt, table.id),
    index("browser_sessions_ended_by_end")
      .on(table.organizationId, table.deletedAt)
      .where(sql`state = 'ended'`),
    index("browser_sessions_by_end").on(table.deletedAt).where(sql`state = 'ended'`),
    index("browser_sessions_living")
      .on(table.organizationId, table.poolId, table.projectId, table.state)
      .where(sql`state <> 'ended'`),
    index("browser_sessions_by_name").on(table.organizationId, table.projectId, table.name),
    index("browser_sessions_of_api_key")
      .on(table.apiKeyId)
      .where(sql`api_key_id IS NOT NULL AND state <> 'ended'`),
    index("browser_sessions_of_pool")
      .on(table.poolId, table.state)
      .where(sql`pool_id IS NOT NULL AND state <> 'ended'`),
    index("browser_sessions_of_invocation")
      .on(table.invocationId, table.createdAt, table.id)
      .where(sql`invocation_id IS NOT NULL AND state <> 'ended'`),
    index("browser_sessions_ended_of_invocation")
      .on(table.invocationId, table.createdAt, table.id)
      .where(sql`invocation_id IS NOT NULL AND state = 'ended'`),
    uniqueIndex("browser_sessions_living_name")
      .on(table.organizationId, table.projectId, table.name)
      .where(sql`state <> 'ended'`),
    uniqueIndex("browser_sessions_living_persistence")
      .on(table.organizationId, table.projectId, table.persistenceId)
      .where(sql`state <> 'ended'`),
  ],
);

/**
 * Written by `POST /browsers` with an `Idempotency-Key`, in the transaction that inserts the session. Removed
 * if the start fails, and by the sweep `IDEMPOTENCY_RETENTION_SECONDS` later.
 */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    organizationId: text("organization_id").notNull(),
    /** Begins with the id of the run or the project, if any, and a line break. */
    key: text("key").notNull(),
    /** Lower-case hexadecimal SHA-256 of the request's normalized body. */
    bodyHash: text("body_hash").notNull(),
    sessionId: text("session_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.key] }),
    index("idempotency_keys_by_session").on(table.sessionId),
    index("idempotency_keys_by_creation").on(table.createdAt),
  ],
);

export type BrowserSessionRow = typeof browserSessions.$inferSelect;
