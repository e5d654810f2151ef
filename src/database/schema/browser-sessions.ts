import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Why a session ended. */
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
] as const;

/**
 * The index of sessions: what lists show, and what outlives a session. The live state of one is its
 * BrowserSession object's.
 */
export const browserSessions = sqliteTable(
  "browser_sessions",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    /** `starting` holds a place against the limit; `idle` waits in its pool. Neither is shown to anybody. */
    state: text("state", { enum: ["starting", "idle", "active", "ended"] }).notNull(),
    name: text("name"),
    tags: text("tags", { mode: "json" }).$type<Record<string, string>>().notNull(),
    headless: integer("headless", { mode: "boolean" }).notNull(),
    stealth: integer("stealth", { mode: "boolean" }).notNull(),
    kioskMode: integer("kiosk_mode", { mode: "boolean" }).notNull(),
    timeoutSeconds: integer("timeout_seconds").notNull(),
    viewportWidth: integer("viewport_width").notNull(),
    viewportHeight: integer("viewport_height").notNull(),
    viewportRefreshRate: integer("viewport_refresh_rate").notNull(),
    startURL: text("start_url"),
    persistenceId: text("persistence_id"),
    createdAt: integer("created_at").notNull(),
    deletedAt: integer("deleted_at"),
    endReason: text("end_reason", { enum: END_REASONS }),
    /** Null: it belongs to no pool. */
    poolId: text("pool_id"),
    /** The pool's name, if it has one, while the session is living; afterwards the last it had. */
    poolName: text("pool_name"),
    /** Number of the lease under which somebody has a pooled session; its addresses are good for that one only. */
    lease: integer("lease"),
    extensionIds: text("extension_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    proxyId: text("proxy_id"),
    profileId: text("profile_id"),
    /** The invocation that it ends with; null: it belongs to none. */
    invocationId: text("invocation_id"),
    /** What the end could not do, said to the session's owner. */
    endDetails: text("end_details"),
    /** The API key that it was created, or leased, with; null: the key of a run, or it waits in its pool. */
    apiKeyId: text("api_key_id"),
    /** How often its URLs were revoked. */
    urlGeneration: integer("url_generation").notNull().default(0),
  },
  (table) => [
    index("browser_sessions_all").on(table.organizationId, table.createdAt, table.id),
    index("browser_sessions_active")
      .on(table.organizationId, table.createdAt, table.id)
      .where(sql`state = 'active'`),
    index("browser_sessions_ended")
      .on(table.organizationId, table.createdAt, table.id)
      .where(sql`state = 'ended'`),
    index("browser_sessions_by_end").on(table.deletedAt).where(sql`state = 'ended'`),
    index("browser_sessions_by_name").on(table.organizationId, table.name),
    index("browser_sessions_of_api_key")
      .on(table.apiKeyId)
      .where(sql`api_key_id IS NOT NULL AND state <> 'ended'`),
    index("browser_sessions_of_pool")
      .on(table.poolId, table.state)
      .where(sql`pool_id IS NOT NULL AND state <> 'ended'`),
    index("browser_sessions_of_invocation")
      .on(table.invocationId, table.createdAt, table.id)
      .where(sql`invocation_id IS NOT NULL AND state <> 'ended'`),
    uniqueIndex("browser_sessions_living_name")
      .on(table.organizationId, table.name)
      .where(sql`state <> 'ended'`),
    uniqueIndex("browser_sessions_living_persistence")
      .on(table.organizationId, table.persistenceId)
      .where(sql`state <> 'ended'`),
  ],
);

/**
 * Browsers that Berth launched and has not closed. The binding lists the browsers of the whole account: what is
 * not in this table is not Berth's to touch.
 */
export const launchedBrowsers = sqliteTable("launched_browsers", {
  /** The platform's id of the browser. */
  browserId: text("browser_id").primaryKey(),
  sessionId: text("session_id").notNull(),
  launchedAt: integer("launched_at").notNull(),
});

/** What an Idempotency-Key on POST /browsers stands for; written before the launch. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    organizationId: text("organization_id").notNull(),
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
