import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** In the order in which a deployment goes through them; the last two are final. */
export const DEPLOYMENT_STATES = ["queued", "in_progress", "running", "failed", "stopped"] as const;

export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** In the order in which an invocation goes through them; the last two are final. */
export const INVOCATION_STATES = ["queued", "running", "succeeded", "failed"] as const;

export type InvocationState = (typeof INVOCATION_STATES)[number];

/** Stored things that the key of a run may use, each by its id or name. */
export interface Grants {
  profiles: string[];
  proxies: string[];
}

/** Deployments: uploaded sources, what was made of them, and how that went. */
export const deployments = sqliteTable(
  "deployments",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    state: text("state", { enum: DEPLOYMENT_STATES }).notNull(),
    stateReason: text("state_reason"),
    /** The version label under which its apps are invoked. */
    version: text("version").notNull(),
    /** Whether it takes the place of another deployment's app of the same name and version. */
    force: integer("force", { mode: "boolean" }).notNull(),
    /** Path of the entry point in the zip. */
    entrypoint: text("entrypoint").notNull(),
    /** Lower-case hexadecimal SHA-256 of the zip. */
    sourceChecksum: text("source_checksum").notNull(),
    /** Names of the environment variables, which may be shown. */
    envNames: text("env_names", { mode: "json" }).$type<string[]>().notNull(),
    /** The variables with their values, encrypted; null: there are none. */
    envVars: text("env_vars"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Size of the zip in bytes. */
    sizeBytes: integer("size_bytes").notNull().default(0),
    /** What its runs may use; null: nothing. */
    grants: text("grants", { mode: "json" }).$type<Grants>(),
  },
  (table) => [
    index("deployments_all").on(table.organizationId, table.createdAt, table.id),
    index("deployments_unfinished").on(table.updatedAt).where(sql`state IN ('queued', 'in_progress')`),
  ],
);

export type DeploymentRow = typeof deployments.$inferSelect;

/** One version of an app, as one deployment brought it. */
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
    /** Whether invocations are run by this one: its deployment was neither stopped nor replaced. */
    current: integer("current", { mode: "boolean" }).notNull(),
  },
  (table) => [
    uniqueIndex("apps_current").on(table.organizationId, table.name, table.version).where(sql`current = 1`),
    index("apps_listed").on(table.organizationId, table.createdAt, table.id).where(sql`current = 1`),
    index("apps_by_deployment").on(table.deploymentId),
    index("apps_by_name").on(table.organizationId, table.name, table.version),
  ],
);

export type AppRow = typeof apps.$inferSelect;

/** The index of invocations: what lists show. What one is doing is its Invocation object's. */
export const invocations = sqliteTable(
  "invocations",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    appName: text("app_name").notNull(),
    version: text("version").notNull(),
    actionName: text("action_name").notNull(),
    deploymentId: text("deployment_id").notNull(),
    status: text("status", { enum: INVOCATION_STATES }).notNull(),
    statusReason: text("status_reason"),
    /** JSON; null: there is none, or it is too large for a row and lies in R2. */
    payload: text("payload"),
    payloadInFiles: integer("payload_in_files", { mode: "boolean" }).notNull(),
    /** As `payload`. */
    output: text("output"),
    outputInFiles: integer("output_in_files", { mode: "boolean" }).notNull(),
    /** When it was accepted; set once. */
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    /** Whether its object still keeps lines that it logged. */
    logsKept: integer("logs_kept", { mode: "boolean" }).notNull(),
    /** What its run may use, beside what its deployment grants; null: nothing. */
    grants: text("grants", { mode: "json" }).$type<Grants>(),
  },
  (table) => [
    index("invocations_all").on(table.organizationId, table.startedAt, table.id),
    index("invocations_by_app").on(table.organizationId, table.appName, table.startedAt, table.id),
    index("invocations_by_version").on(table.organizationId, table.version, table.startedAt, table.id),
    index("invocations_by_action").on(table.organizationId, table.actionName, table.startedAt, table.id),
    index("invocations_by_deployment").on(
      table.organizationId,
      table.deploymentId,
      table.startedAt,
      table.id,
    ),
    index("invocations_by_status").on(table.organizationId, table.status, table.startedAt, table.id),
    index("invocations_unfinished").on(table.startedAt).where(sql`finished_at IS NULL`),
    index("invocations_with_logs").on(table.finishedAt).where(sql`logs_kept = 1`),
  ],
);

export type InvocationRow = typeof invocations.$inferSelect;
