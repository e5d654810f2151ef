import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";

export interface UnsupportedFeature {
  feature: string;
  reason: string;
}

/** The zip is in R2. */
export const extensions = sqliteTable(
  "extensions",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    sizeBytes: integer("size_bytes").notNull(),
    /** Lower-case hexadecimal SHA-256 of the zip. */
    checksum: text("checksum").notNull(),
    unsupported: text("unsupported", { mode: "json" }).$type<UnsupportedFeature[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    /** A deleted extension cannot be selected. It is kept while living sessions use it. */
    deletedAt: integer("deleted_at"),
    projectId: projectId(),
  },
  (table) => [
    uniqueIndex("extensions_name")
      .on(table.organizationId, table.projectId, table.name)
      .where(sql`deleted_at IS NULL`),
    index("extensions_all")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
    index("extensions_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type ExtensionRow = typeof extensions.$inferSelect;
