import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";

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

/** All types except `custom` use an upstream configured by the operator. */
export const PROXY_TYPES = ["datacenter", "isp", "residential", "mobile", "custom"] as const;

/** Written by `/proxies`, and by checks. */
export const proxies = sqliteTable(
  "proxies",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    type: text("type", { enum: PROXY_TYPES }).notNull(),
    /** How browsers connect to a `custom` proxy. */
    protocol: text("protocol", { enum: ["http", "https"] }).notNull(),
    /** As returned to callers. */
    config: text("config", { mode: "json" }).$type<ProxyConfig>().notNull(),
    /** Encrypted under `ENCRYPTION_KEY` for this proxy only. */
    encryptedPassword: text("encrypted_password"),
    /** Host names, optionally prefixed with `*.`. */
    bypassHosts: text("bypass_hosts", { mode: "json" }).$type<string[]>().notNull(),
    status: text("status", { enum: ["available", "unavailable"] }).notNull(),
    /** When the last check began. */
    lastCheckedAt: integer("last_checked_at"),
    /** Egress address seen by the last successful check. */
    ipAddress: text("ip_address"),
    createdAt: integer("created_at").notNull(),
    /** A deleted proxy cannot be selected. It is kept while living sessions or a pool use it. */
    deletedAt: integer("deleted_at"),
    projectId: projectId(),
  },
  (table) => [
    index("proxies_all")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
    index("proxies_by_check").on(table.lastCheckedAt).where(sql`deleted_at IS NULL`),
    index("proxies_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

/** The latest 200 checks of each proxy, written in the transaction that updates the proxy. */
export const proxyChecks = sqliteTable(
  "proxy_checks",
  {
    id: text("id").primaryKey(),
    proxyId: text("proxy_id").notNull(),
    /** When the check began. */
    checkedAt: integer("checked_at").notNull(),
    status: text("status", { enum: ["available", "unavailable"] }).notNull(),
    durationMs: integer("duration_ms").notNull(),
    ipAddress: text("ip_address"),
  },
  (table) => [index("proxy_checks_of_proxy").on(table.proxyId, table.checkedAt)],
);

export type ProxyRow = typeof proxies.$inferSelect;
export type ProxyCheckRow = typeof proxyChecks.$inferSelect;
