import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";
import { sessionOptionColumns } from "./session-options.ts";

/**
 * Pools and the configuration of their browsers, which the BrowserPool object tracks. Inserted in the
 * statement that checks the total size of all pools.
 */
export const browserPools = sqliteTable(
  "browser_pools",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    size: integer("size").notNull(),
    /** Percentage of the size; 0 pauses filling. */
    fillRatePerMinute: integer("fill_rate_per_minute").notNull(),
    ...sessionOptionColumns(),
    createdAt: integer("created_at").notNull(),
    /** As selected. */
    extensions: text("extensions", { mode: "json" })
      .$type<{ id?: string; name?: string }[]>()
      .notNull()
      .default([]),
    /** As selected. */
    profile: text("profile", { mode: "json" }).$type<{
      id?: string;
      name?: string;
      save_changes?: boolean;
    }>(),
    /** Why the last launch failed. */
    lastError: text("last_error"),
    lastErrorAt: integer("last_error_at"),
    projectId: projectId(),
  },
  (table) => [uniqueIndex("browser_pools_name").on(table.organizationId, table.projectId, table.name)],
);

export type BrowserPoolRow = typeof browserPools.$inferSelect;
