import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Sql } from "../../src/machine/file-system/sql.ts";
import { SqlFileSystem } from "../../src/machine/file-system/sql-file-system.ts";
import { TimeSlice } from "../../src/time-slice.ts";

/** A machine's file system over an SQLite of Node's, in memory. */
export function openFileSystem(quotaBytes = 2 ** 30): { files: SqlFileSystem; sql: Sql; close: () => void } {
  const database = new DatabaseSync(":memory:");
  const sql = toSql(database);
  const transaction = <T>(work: () => T) => runTransaction(database, work);
  const files = new SqlFileSystem({ sql, transaction, quotaBytes, slice: new TimeSlice() });
  files.create();
  return {
    files,
    sql,
    close() {
      files.close();
      database.close();
    },
  };
}

function toSql(database: DatabaseSync): Sql {
  const statements = new Map<string, StatementSync>();
  const prepare = (query: string) => {
    const statement = statements.get(query) ?? database.prepare(query);
    statements.set(query, statement);
    return statement;
  };
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    const rows = prepare(query).all(...bindings);
    return Object.assign(rows, { toArray: () => rows });
  };
  // A Durable Object's rows are typed by whoever asks, and its blobs are buffers, which Node's views serve as well.
  return { exec } as unknown as Sql;
}

function runTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
