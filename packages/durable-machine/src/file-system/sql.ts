/** A value of a column. */
export type SqlValue = ArrayBuffer | string | number | null;

/** What the file system uses of a Durable Object's SQLite. */
export interface Sql {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: (SqlValue | Uint8Array)[]
  ): Iterable<Row> & { toArray(): Row[] };
}

/** Runs work whose writes are kept all together, or where it throws, not at all. */
export type RunTransaction = <T>(work: () => T) => T;
