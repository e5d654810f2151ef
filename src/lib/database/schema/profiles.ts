import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";

/** Saved browser state. The content itself is in R2, encrypted. */
export const profiles = sqliteTable(
  "profiles",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name"),
    /** The last saved content. A save sets its own id in one transaction, which returns the replaced one. */
    contentId: text("content_id"),
    sizeBytes: integer("size_bytes").notNull(),
    createdAt: integer("created_at").notNull(),
    /** When it was last saved or renamed. */
    updatedAt: integer("updated_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    /** A deleted profile cannot be selected. Sessions that use it continue and save nothing. */
    deletedAt: integer("deleted_at"),
    projectId: projectId(),
  },
  (table) => [
    uniqueIndex("profiles_name")
      .on(table.organizationId, table.projectId, table.name)
      .where(sql`deleted_at IS NULL`),
    index("profiles_all")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
    index("profiles_deleted").on(table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
);

export type ProfileRow = typeof profiles.$inferSelect;
