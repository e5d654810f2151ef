import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const counted = (name: string) => integer(name).notNull().default(0);

/**
 * Usage in one hour, kept for 400 days. The transaction that ends a session or its lease adds its time to all
 * hours that it covers, so that it is counted once; a read adds the time of living sessions.
 */
export const usageHours = sqliteTable(
  "usage_hours",
  {
    organizationId: text("organization_id").notNull(),
    /** Beginning of the hour. */
    hour: integer("hour").notNull(),
    /** Empty: none, as in the columns below. */
    projectId: text("project_id").notNull(),
    apiKeyId: text("api_key_id").notNull(),
    poolId: text("pool_id").notNull(),
    /** JSON with sorted names. */
    tags: text("tags").notNull(),
    browserMs: counted("browser_ms"),
    /** Sessions and leases that began. */
    sessions: counted("sessions"),
    invocations: counted("invocations"),
    dynamicWorkers: counted("dynamic_workers"),
    /** Length of the recordings that began in this hour. */
    recordedMs: counted("recorded_ms"),
    /** The bytes that were stored at a moment of this hour. */
    storedByteHours: counted("stored_byte_hours"),
    /** Bytes that sessions with a proxy were seen to receive. */
    proxiedBytes: counted("proxied_bytes"),
    /** How long standby browsers waited for the sessions that began in this hour. */
    standbyMs: counted("standby_ms"),
    /** How long the Linux machines that ended in this hour ran on session hosts, and what their hosts charge. */
    linuxMs: counted("linux_ms"),
    linuxMicrodollars: counted("linux_microdollars"),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.hour, table.projectId, table.apiKeyId, table.poolId, table.tags],
    }),
    index("usage_hours_by_hour").on(table.hour),
  ],
);

/** Totals of all organizations that only grow, for `GET /metrics`. */
export const counters = sqliteTable(
  "counters",
  {
    name: text("name", { enum: ["sessions_ended", "invocations_finished"] }).notNull(),
    /** The reason or status that is counted. */
    label: text("label").notNull(),
    value: integer("value").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.label] })],
);
