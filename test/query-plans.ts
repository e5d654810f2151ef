import { env } from "cloudflare:workers";
import { type Database, openDatabase } from "../src/database/client.ts";

interface ExplainedStatement {
  sql: string;
  plan: string[];
  rowsRead: number;
}

/** Explains the statements that work runs, also those of a batch, and runs each once more. */
export async function explain(work: (database: Database) => Promise<unknown>): Promise<ExplainedStatement[]> {
  const statements: { sql: string; parameters: unknown[] }[] = [];
  const prepare = (sql: string) => {
    const statement = env.DB.prepare(sql);
    const bind = statement.bind.bind(statement);
    return Object.assign(statement, {
      bind: (...parameters: unknown[]) => {
        statements.push({ sql, parameters });
        return bind(...parameters);
      },
    });
  };
  const recording = new Proxy(env.DB, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name).bind(target)),
  });
  await work(openDatabase(recording));
  return Promise.all(
    statements.map(async ({ sql, parameters }) => {
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
