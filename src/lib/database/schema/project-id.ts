import { text } from "drizzle-orm/sqlite-core";

/** Column of the project that a row belongs to; empty: the organization's default project. */
export function projectId() {
  return text("project_id").notNull().default("");
}
