import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** OTLP endpoints that sessions export their events to. */
export const otlpDestinations = sqliteTable(
  "otlp_destinations",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name").notNull(),
    /** Without `/v1/logs`. */
    endpoint: text("endpoint").notNull(),
    headerNames: text("header_names", { mode: "json" }).$type<string[]>().notNull(),
    /** Names and values as JSON, encrypted; different after each change. */
    encryptedHeaders: text("encrypted_headers").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("otlp_destinations_name").on(table.organizationId, table.name)],
);

export type OTLPDestinationRow = typeof otlpDestinations.$inferSelect;
