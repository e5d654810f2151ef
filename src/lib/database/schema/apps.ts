import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectId } from "./project-id.ts";

/** Ordered; the last two are final. */
export const DEPLOYMENT_STATES = ["queued", "in_progress", "running", "failed", "stopped"] as const;

export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** Ordered; the last two are final. */
export const INVOCATION_STATUSES = ["queued", "running", "succeeded", "failed"] as const;

export type InvocationStatus = (typeof INVOCATION_STATUSES)[number];

/** Resources that a run's key may use, by id or name. */
export interface Grants {
  profiles: string[];
  proxies: string[];
}

/**
 * After the insert, the Deployment object writes the row. It is kept for lists while its organization exists.
 */
export const deployments = sqliteTable(
  "deployments",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    state: text("state", { enum: DEPLOYMENT_STATES }).notNull(),
    stateReason: text("state_reason"),
    /** Label of its apps. */
    version: text("version").notNull(),
    /** Whether its apps replace others with the same name and version. */
    force: integer("force", { mode: "boolean" }).notNull(),
    /** Path in the zip. */
    entrypoint: text("entrypoint").notNull(),
    /** Lower-case hexadecimal SHA-256 of the zip. */
    sourceChecksum: text("source_checksum").notNull(),
    envNames: text("env_names", { mode: "json" }).$type<string[]>().notNull(),
    /** JSON of names and values, encrypted under `ENCRYPTION_KEY` for this deployment. */
    envVars: text("env_vars"),
    createdAt: integer("created_at").notNull(),
    /** When it entered its state. */
    updatedAt: integer("updated_at").notNull(),
    /** Size of the zip. */
    sizeBytes: integer("size_bytes").notNull().default(0),
    /** Profiles and proxies that its code may use. */
    grants: text("grants", { mode: "json" }).$type<Grants>(),
    projectId: projectId(),
  },
  (table) => [
    index("deployments_all").on(table.organizationId, table.createdAt, table.id),
    index("deployments_of_project").on(table.organizationId, table.projectId, table.createdAt, table.id),
    index("deployments_unfinished").on(table.updatedAt).where(sql`state IN ('queued', 'in_progress')`),
  ],
);

export type DeploymentRow = typeof deployments.$inferSelect;

/**
 * App versions, inserted in the transaction that makes their deployment `running`, and removed when a call
 * deletes it.
 */
export const apps = sqliteTable(
  "apps",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    name: text("name").notNull(),
    version: text("version").notNull(),
    deploymentId: text("deployment_id").notNull(),
    actions: text("actions", { mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** False once the deployment is stopped or replaced. */
    current: integer("current", { mode: "boolean" }).notNull(),
    projectId: projectId(),
  },
  (table) => [
    uniqueIndex("apps_current")
      .on(table.organizationId, table.projectId, table.name, table.version)
      .where(sql`current = 1`),
    index("apps_listed")
      .on(table.organizationId, table.projectId, table.createdAt, table.id)
      .where(sql`current = 1`),
    index("apps_by_deployment").on(table.deploymentId),
    index("apps_by_name").on(table.organizationId, table.projectId, table.name, table.version),
  ],
);

export type AppRow = typeof apps.$inferSelect;

/**
 * The Invocation object holds the live state of each invocation, and writes the row after the insert. It is
 * kept for lists while its organization exists.
 */
export const invocations = sqliteTable(
  "invocations",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    appName: text("app_name").notNull(),
    version: text("version").notNull(),
    actionName: text("action_name").notNull(),
    deploymentId: text("deployment_id").notNull(),
    status: text("status", { enum: INVOCATION_STATUSES }).notNull(),
    statusReason: text("status_reason"),
    /** JSON; null if absent, or too large for a row and stored in R2. */
    payload: text("payload"),
    payloadInFiles: integer("payload_in_files", { mode: "boolean" }).notNull(),
    /** As `payload`. */
    output: text("output"),
    outputInFiles: integer("output_in_files", { mode: "boolean" }).notNull(),
    /** When it was accepted; never changes. */
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    /** Whether the Invocation object still holds log lines. */
    logsKept: integer("logs_kept", { mode: "boolean" }).notNull(),
    /** Those of the deployment when it was accepted. */
    grants: text("grants", { mode: "json" }).$type<Grants>(),
    projectId: projectId(),
  },
  (table) => [
    index("invocations_all").on(table.organizationId, table.startedAt, table.id),
    index("invocations_of_project").on(table.organizationId, table.projectId, table.startedAt, table.id),
    index("invocations_by_app").on(
      table.organizationId,
      table.projectId,
      table.appName,
      table.startedAt,
      table.id,
    ),
    index("invocations_by_version").on(
      table.organizationId,
      table.projectId,
      table.version,
      table.startedAt,
      table.id,
    ),
    index("invocations_by_action").on(
      table.organizationId,
      table.projectId,
      table.actionName,
      table.startedAt,
      table.id,
    ),
    index("invocations_by_deployment").on(
      table.organizationId,
      table.projectId,
      table.deploymentId,
      table.startedAt,
      table.id,
    ),
    index("invocations_by_status").on(
      table.organizationId,
      table.status,
      table.projectId,
      table.startedAt,
      table.id,
    ),
    index("invocations_unfinished").on(table.startedAt).where(sql`finished_at IS NULL`),
    index("invocations_with_logs").on(table.finishedAt).where(sql`logs_kept = 1`),
  ],
);

export type InvocationRow = typeof invocations.$inferSelect;
