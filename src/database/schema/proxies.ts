import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What callers are shown of a proxy's configuration: which fields there are depends on its type. */
export interface ProxyConfig {
  host?: string;
  port?: number;
  username?: string;
  has_password?: boolean;
  country?: string;
  state?: string;
  city?: string;
  zip?: string;
  asn?: string;
}

/** Kinds of proxies. All but `custom` are carried by an upstream that the operator sets. */
export const PROXY_TYPES = ["datacenter", "isp", "residential", "mobile", "custom"] as const;

/** Proxies that sessions' traffic may go through. */
export const proxies = sqliteTable(
  "proxies",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    type: text("type", { enum: PROXY_TYPES }).notNull(),
    /** How browsers speak with it. */
    protocol: text("protocol", { enum: ["http", "https"] }).notNull(),
    config: text("config", { mode: "json" }).$type<ProxyConfig>().notNull(),
    /** Its password, encrypted. */
    encryptedPassword: text("encrypted_password"),
    /** Hosts that are reached without it. */
    bypassHosts: text("bypass_hosts", { mode: "json" }).$type<string[]>().notNull(),
    status: text("status", { enum: ["available", "unavailable"] }).notNull(),
    lastCheckedAt: integer("last_checked_at"),
    /** The address that its requests come from, as the last check that succeeded saw it. */
    ipAddress: text("ip_address"),
    createdAt: integer("created_at").notNull(),
    /** From then on nobody selects it; it is kept while living sessions have it. */
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    index("proxies_all").on(table.organizationId, table.createdAt, table.id).where(sql`deleted_at IS NULL`),
    index("proxies_by_check").on(table.lastCheckedAt).where(sql`deleted_at IS NULL`),
    index("proxies_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type ProxyRow = typeof proxies.$inferSelect;
