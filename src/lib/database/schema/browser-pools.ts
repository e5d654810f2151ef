import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { REGIONS } from "../../common/regions.ts";
import type { TelemetryConfig } from "./browser-sessions.ts";
import { projectId } from "./project-id.ts";

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
    timeoutSeconds: integer("timeout_seconds").notNull(),
    headless: integer("headless", { mode: "boolean" }).notNull(),
    stealth: integer("stealth", { mode: "boolean" }).notNull(),
    kioskMode: integer("kiosk_mode", { mode: "boolean" }).notNull(),
    viewportWidth: integer("viewport_width").notNull(),
    viewportHeight: integer("viewport_height").notNull(),
    viewportRefreshRate: integer("viewport_refresh_rate").notNull(),
    startURL: text("start_url"),
    createdAt: integer("created_at").notNull(),
    extensions: text("extensions", { mode: "json" })
      .$type<{ id?: string; name?: string }[]>()
      .notNull()
      .default([]),
    extensionIds: text("extension_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    proxyId: text("proxy_id"),
    profile: text("profile", { mode: "json" }).$type<{
      id?: string;
      name?: string;
      save_changes?: boolean;
    }>(),
    profileId: text("profile_id"),
    /** Null: the default. */
    telemetry: text("telemetry", { mode: "json" }).$type<TelemetryConfig>(),
    /** Whether each lease is recorded as a video. */
    record: integer("record", { mode: "boolean" }).notNull().default(false),
    lastError: text("last_error"),
    lastErrorAt: integer("last_error_at"),
    projectId: projectId(),
    /** Where the browsers' sessions run; null: where the pool was created. */
    region: text("region", { enum: REGIONS }),
  },
  (table) => [uniqueIndex("browser_pools_name").on(table.organizationId, table.projectId, table.name)],
);

export type BrowserPoolRow = typeof browserPools.$inferSelect;
