import { env } from "cloudflare:workers";
import { type Database, openDatabase } from "../src/lib/database/client.ts";
import { recordStatements, type Statement } from "./recorded-statements.ts";

interface ExplainedStatement {
  sql: string;
  plan: string[];
  rowsRead: number;
}

/** Explains the statements that work runs, also those of a batch, and runs each once more. */
export async function explain(work: (database: Database) => Promise<unknown>): Promise<ExplainedStatement[]> {
  const statements: Statement[] = [];
  await work(openDatabase(recordStatements(env.DB, statements)));
  return Promise.all(
    statements.map(async ({ query: sql, parameters }) => {
      const run = (statement: string) =>
        env.DB.prepare(statement)
          .bind(...parameters)
          .all<{ detail: string }>();
      const [explained, ran] = await Promise.all([run(`EXPLAIN QUERY PLAN ${sql}`), run(sql)]);
      const plan = explained.results.map(({ detail }) => detail);
      return { sql, plan, rowsRead: ran.meta.rows_read };
    }),
  );
}
