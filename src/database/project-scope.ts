import { and, eq, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Whose resources a call sees. */
export interface ProjectScope {
  organizationId: string;
  /** Empty: the default project. */
  projectId: string;
}

interface ProjectTable {
  organizationId: SQLiteColumn;
  projectId: SQLiteColumn;
}

/** Whether a row belongs to a project. */
export function isInProject(
  table: ProjectTable,
  { organizationId, projectId }: ProjectScope,
): SQL | undefined {
  return and(eq(table.organizationId, organizationId), eq(table.projectId, projectId));
}
