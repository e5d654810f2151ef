export interface Statement {
  query: string;
  parameters: unknown[];
}

/** The database, which adds its statements to a list when they get their parameters. */
export function recordStatements(database: D1Database, statements: Statement[]): D1Database {
  const prepare = (query: string) => {
    const statement = database.prepare(query);
    const bind = statement.bind.bind(statement);
    return Object.assign(statement, {
      bind: (...parameters: unknown[]) => {
        statements.push({ query, parameters });
        return bind(...parameters);
      },
    });
  };
  return new Proxy(database, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name).bind(target)),
  });
}
