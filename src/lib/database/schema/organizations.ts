import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Written by `/admin/organizations`, and by `npm start` for the local organization. */
export const organizations = sqliteTable("organizations", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Null: the setting `MAX_CONCURRENT_SESSIONS`. */
  maxConcurrentSessions: integer("max_concurrent_sessions"),
  /** Null: the setting `MAX_POOLED_SESSIONS`. */
  maxPooledSessions: integer("max_pooled_sessions"),
  createdAt: integer("created_at").notNull(),
  /** Once set, its keys are rejected and its sessions end. */
  disabledAt: integer("disabled_at"),
  /** For each project without a limit of its own; null: only the organization's limit applies. */
  defaultProjectMaxConcurrentSessions: integer("default_project_max_concurrent_sessions"),
  /** US dollars per calendar month in UTC; null: none. Reaching it is announced. */
  softBudgetUSD: real("soft_budget_usd"),
  /** No session, lease, invocation or deployment may begin once it is reached. */
  hardBudgetUSD: real("hard_budget_usd"),
  /** When the soft budget was last announced. */
  budgetWarnedAt: integer("budget_warned_at"),
  /** The end of the month whose hard budget is used up. */
  overBudgetUntil: integer("over_budget_until"),
  /** Its share of browser launches while others wait, relative to theirs. */
  weight: integer("weight").notNull().default(1),
});

/**
 * The id of an organization's default project is the organization's own. Rows of deleted projects are kept
 * until the organization is deleted. The statements that insert rows of a project check that it is active.
 */
export const projects = sqliteTable(
  "projects",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name").notNull(),
    /** Calls cannot name an archived project. */
    status: text("status", { enum: ["active", "archived"] }).notNull(),
    /** Null: the organization's default. */
    maxConcurrentSessions: integer("max_concurrent_sessions"),
    /** Null: only the service's limit applies. */
    maxConcurrentInvocations: integer("max_concurrent_invocations"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    uniqueIndex("projects_name")
      .on(table.organizationId, sql`lower(${table.name})`)
      .where(sql`deleted_at IS NULL`),
  ],
);

/** `read`: calls that change nothing; `sessions`: browser sessions only. */
export const KEY_ACCESS = ["full", "sessions", "read"] as const;

export type KeyAccess = (typeof KEY_ACCESS)[number];

/**
 * Rows of deleted keys are kept for lists. Keys of runs are not stored: they are tokens signed with
 * `TOKEN_SECRET`, whose validity the Invocation object checks.
 */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name").notNull(),
    /** Lower-case hexadecimal SHA-256 of the key. */
    keyHash: text("key_hash").notNull().unique(),
    /** Beginning and end of the key, for lists. */
    maskedKey: text("masked_key").notNull(),
    /** Distinguishes keys from runs. */
    scope: text("scope", { enum: ["organization"] })
      .notNull()
      .default("organization"),
    createdAt: integer("created_at").notNull(),
    /** Id of the creating key; `operator` for the first key. */
    createdBy: text("created_by").notNull(),
    expiresAt: integer("expires_at"),
    deletedAt: integer("deleted_at"),
    /** Written once an hour at most. */
    lastUsedAt: integer("last_used_at"),
    /** Id of the only project that the key may use; null: all. */
    projectId: text("project_id"),
    /** `read`: calls that change nothing; `sessions`: browser sessions only. */
    access: text("access", { enum: KEY_ACCESS }).notNull().default("full"),
    /** Null: no limit of its own. */
    maxConcurrentSessions: integer("max_concurrent_sessions"),
    /** Null: no limit of its own. */
    requestsPerMinute: integer("requests_per_minute"),
  },
  (table) => [index("api_keys_by_organization").on(table.organizationId, table.createdAt, table.id)],
);

/**
 * Sign-ins to the console, and used sign-in links. A cookie whose row is gone is no longer valid. Each sign-in
 * deletes expired rows.
 */
export const consoleSessions = sqliteTable(
  "console_sessions",
  {
    /** In the cookie as `jti`; of a link, with the prefix `link-`. */
    id: text("id").primaryKey(),
    /** Id of the API key, or `operator`; `link` of a used link. */
    keyId: text("key_id").notNull(),
    /** The `User-Agent` that signed in, at most 200 characters. */
    userAgent: text("user_agent").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("console_sessions_by_key").on(table.keyId, table.createdAt),
    index("console_sessions_by_end").on(table.expiresAt),
  ],
);

export type ConsoleSessionRow = typeof consoleSessions.$inferSelect;
export type OrganizationRow = typeof organizations.$inferSelect;
export type ProjectRow = typeof projects.$inferSelect;
export type APIKeyRow = typeof apiKeys.$inferSelect;
