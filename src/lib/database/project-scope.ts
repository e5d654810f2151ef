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

/** @param id as callers know it: for the default project, the organization's id. */
export function scopeOf(organizationId: string, id: string): ProjectScope {
  return { organizationId, projectId: id === organizationId ? "" : id };
}

/** The id of a project as callers know it. */
export function idOfProject({ organizationId, projectId }: ProjectScope): string {
  return projectId || organizationId;
}
