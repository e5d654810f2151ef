import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Times are milliseconds since the epoch in all tables. */
export const organizations = sqliteTable("organizations", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Null: the service's default. */
  maxConcurrentSessions: integer("max_concurrent_sessions"),
  /** Null: the service's default. */
  maxPooledSessions: integer("max_pooled_sessions"),
  createdAt: integer("created_at").notNull(),
  disabledAt: integer("disabled_at"),
  /** Its share of browser launches while others wait, relative to theirs. */
  weight: integer("weight").notNull().default(1),
});

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name").notNull(),
    /** Lower-case hexadecimal SHA-256 of the key. */
    keyHash: text("key_hash").notNull().unique(),
    maskedKey: text("masked_key").notNull(),
    /** `organization`: full access to the organization. */
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
  },
  (table) => [index("api_keys_by_organization").on(table.organizationId, table.createdAt, table.id)],
);

export type OrganizationRow = typeof organizations.$inferSelect;
export type APIKeyRow = typeof apiKeys.$inferSelect;
