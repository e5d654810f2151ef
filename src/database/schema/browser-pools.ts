import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Pools of browsers and how the browsers of each are made. Who holds which browser is its BrowserPool object's. */
export const browserPools = sqliteTable(
  "browser_pools",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    /** Browsers that it is to have, idle and leased together. */
    size: integer("size").notNull(),
    /** Percentage of the size; 0: it is not filled. */
    fillRatePerMinute: integer("fill_rate_per_minute").notNull(),
    /** How long a lease may be idle. */
    timeoutSeconds: integer("timeout_seconds").notNull(),
    headless: integer("headless", { mode: "boolean" }).notNull(),
    stealth: integer("stealth", { mode: "boolean" }).notNull(),
    kioskMode: integer("kiosk_mode", { mode: "boolean" }).notNull(),
    viewportWidth: integer("viewport_width").notNull(),
    viewportHeight: integer("viewport_height").notNull(),
    viewportRefreshRate: integer("viewport_refresh_rate").notNull(),
    startURL: text("start_url"),
    createdAt: integer("created_at").notNull(),
    /** As the pool's owner selected them. */
    extensions: text("extensions", { mode: "json" })
      .$type<{ id?: string; name?: string }[]>()
      .notNull()
      .default([]),
    /** Ids of the same, in their order. */
    extensionIds: text("extension_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    proxyId: text("proxy_id"),
    /** As the pool's owner selected it. */
    profile: text("profile", { mode: "json" }).$type<{
      id?: string;
      name?: string;
      save_changes?: boolean;
    }>(),
    /** The id of the same. */
    profileId: text("profile_id"),
    /** Why the last launch failed; null: it did not. */
    lastError: text("last_error"),
    lastErrorAt: integer("last_error_at"),
  },
  (table) => [uniqueIndex("browser_pools_name").on(table.organizationId, table.name)],
);

export type BrowserPoolRow = typeof browserPools.$inferSelect;
