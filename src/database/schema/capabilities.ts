import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** `untried`: nothing is known. It does not replace a known outcome. */
export const OUTCOMES = ["holds", "differs", "untried"] as const;

/** What a check used, in the units that Cloudflare bills. */
export interface ProbeCost {
  browsers: number;
  browserSeconds: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  r2Writes: number;
  r2Reads: number;
  dynamicWorkers: number;
}

/** The last result of each check of the probe. */
export const capabilities = sqliteTable("capabilities", {
  /** A name in src/capabilities/checks.ts. */
  name: text("name").primaryKey(),
  outcome: text("outcome", { enum: OUTCOMES }).notNull(),
  seen: text("seen").notNull(),
  details: text("details", { mode: "json" }).$type<Record<string, string | number>>().notNull(),
  measuredAt: integer("measured_at").notNull(),
  durationMs: integer("duration_ms").notNull(),
  cost: text("cost", { mode: "json" }).$type<ProbeCost>().notNull(),
});

export type CapabilityRow = typeof capabilities.$inferSelect;
