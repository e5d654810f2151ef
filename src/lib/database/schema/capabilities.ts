import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const OUTCOMES = ["holds", "differs", "untried"] as const;

/** The last result of each check of the probe. */
export const capabilities = sqliteTable("capabilities", {
  /** A name in src/platform/capabilities/checks.ts. */
  name: text("name").primaryKey(),
  /** `untried` does not replace another outcome. */
  outcome: text("outcome", { enum: OUTCOMES }).notNull(),
  /** What was seen, such as a refusal. */
  seen: text("seen").notNull(),
  details: text("details", { mode: "json" }).$type<Record<string, string | number>>().notNull(),
  measuredAt: integer("measured_at").notNull(),
  durationMs: integer("duration_ms").notNull(),
  /** What it used, by billed unit. */
  cost: text("cost", { mode: "json" }).$type<Record<string, number>>().notNull(),
});

export type CapabilityRow = typeof capabilities.$inferSelect;
