import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { RunTransaction, Sql, SqlValue } from "../src/file-system/sql.ts";

class Rows<Row> implements Iterable<Row> {
  readonly #rows: Row[];

  constructor(rows: Row[]) {
    this.#rows = rows;
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows[Symbol.iterator]();
  }

  toArray(): Row[] {
    return this.#rows;
  }

  one(): Row {
    const [row, ...others] = this.#rows;
    if (row === undefined || others.length > 0) throw new Error(`Expected one row, got ${this.#rows.length}`);
    return row;
  }
}

/** Node's SQLite in memory with the interface of a Durable Object's storage. */
export class Storage implements Disposable {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();

  readonly sql = {
    exec: <Row extends Record<string, SqlValue>>(
      query: string,
      ...bindings: (SqlValue | Uint8Array)[]
    ): Rows<Row> => {
      // Callers choose the type of rows, as with a Durable Object.
      return new Rows(this.#prepare(query).all(...(bindings as SQLInputValue[])) as unknown as Row[]);
    },
  } satisfies Sql;

  readonly transactionSync: RunTransaction = (work) => {
    this.#database.exec("SAVEPOINT work");
    try {
      const result = work();
      this.#database.exec("RELEASE work");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK TO work; RELEASE work");
      throw error;
    }
  };

  deleteAll(): void {
    const tables = this.sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    this.#statements.clear();
    for (const { name } of tables) this.#database.exec(`DROP TABLE "${name}"`);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #prepare(query: string): StatementSync {
    const statement = this.#statements.get(query) ?? this.#database.prepare(query);
    this.#statements.set(query, statement);
    return statement;
  }
}
