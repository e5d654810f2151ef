import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";
import { sessionOptionColumns } from "./session-options.ts";

/** Pools and the configuration of their browsers. The BrowserPool object tracks the browsers themselves. */
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
    extensions: text("extensions", { mode: "json" })
      .$type<{ id?: string; name?: string }[]>()
      .notNull()
      .default([]),
    profile: text("profile", { mode: "json" }).$type<{
      id?: string;
      name?: string;
      save_changes?: boolean;
    }>(),
    lastError: text("last_error"),
    lastErrorAt: integer("last_error_at"),
    projectId: projectId(),
  },
  (table) => [uniqueIndex("browser_pools_name").on(table.organizationId, table.projectId, table.name)],
);

export type BrowserPoolRow = typeof browserPools.$inferSelect;
