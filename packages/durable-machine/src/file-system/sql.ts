export type SqlValue = ArrayBuffer | string | number | null;

export interface Sql {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: (SqlValue | Uint8Array)[]
  ): Iterable<Row> & { toArray(): Row[] };
}

/** Runs work whose writes are kept all together or, if it throws, not at all. */
export type RunTransaction = <T>(work: () => T) => T;

export const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS inode (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    mode INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    gid INTEGER NOT NULL,
    links INTEGER NOT NULL,
    size INTEGER NOT NULL,
    content INTEGER NOT NULL,
    target TEXT NOT NULL,
    accessed_at REAL NOT NULL,
    modified_at REAL NOT NULL,
    changed_at REAL NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS inode_orphan ON inode (id) WHERE links = 0",
  `CREATE TABLE IF NOT EXISTS directory_entry (
    directory INTEGER NOT NULL,
    name TEXT NOT NULL,
    inode INTEGER NOT NULL,
    PRIMARY KEY (directory, name)
  ) WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS content_chunk (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
  `CREATE TABLE IF NOT EXISTS file_space (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    used INTEGER NOT NULL,
    files INTEGER NOT NULL,
    next_number INTEGER NOT NULL
  )`,
  "INSERT OR IGNORE INTO file_space (id, used, files, next_number) VALUES (1, 0, 0, 1)",
];
