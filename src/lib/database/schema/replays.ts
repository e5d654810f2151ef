import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";

/** A page that was in front from a time on, in milliseconds since the start of the recording. */
export interface Chapter {
  time: number;
  /** Untrusted texts. */
  url: string;
  title: string;
}

/**
 * Recordings of sessions. The video is in R2. Inserted in the statement that checks the organization's
 * storage; the session's object completes the row, or the sweep if the session has ended without that.
 * Removed `REPLAY_RETENTION_SECONDS` after the end of the session or the lease.
 */
export const replays = sqliteTable(
  "replays",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    sessionId: text("session_id").notNull(),
    startedAt: integer("started_at").notNull(),
    /** Null while it is being recorded. */
    finishedAt: integer("finished_at"),
    /** While it is being recorded, the bytes that are reserved for it. */
    sizeBytes: integer("size_bytes").notNull(),
    /** Null while it is being recorded, or if it is empty. */
    mimeType: text("mime_type"),
    /** The sizes of the objects in R2 that make up the file. */
    parts: text("parts", { mode: "json" }).$type<number[]>().notNull(),
    /** Pages in front, with addresses without secrets. */
    chapters: text("chapters", { mode: "json" }).$type<Chapter[]>().notNull(),
    /** Why it ended early, and what is missing. */
    note: text("note"),
    projectId: projectId(),
  },
  (table) => [
    index("replays_of_session").on(table.sessionId, table.startedAt),
    index("replays_of_organization").on(table.organizationId),
    index("replays_of_project").on(table.organizationId, table.projectId, table.startedAt, table.id),
    index("replays_by_end").on(table.finishedAt),
  ],
);

export type ReplayRow = typeof replays.$inferSelect;
