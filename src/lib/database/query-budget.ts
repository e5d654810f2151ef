const budgets = new WeakMap<D1Database, { left: number }>();

/**
 * An environment that counts the queries to D1, of which the platform allows 1,000 per invocation
 * (https://developers.cloudflare.com/d1/platform/limits/). It refuses none: loops check {@link queriesLeft}
 * before each iteration, and leave the rest to the next run. Budgets can be nested.
 *
 * @example
 * const limited = withQueryBudget(env, 900);
 * await sweepProxies(withQueryBudget(limited, 100), now);
 */
export function withQueryBudget(env: Env, queries: number): Env {
  const budget = { left: Math.min(queries, queriesLeft(env.DB)) };
  const counted = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        // Each statement is prepared once, including those in a batch.
        if (name === "prepare") budget.left -= 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  budgets.set(counted, budget);
  return { ...env, DB: counted };
}

/** Infinite without a budget. Negative once work in progress has exceeded it. */
export function queriesLeft(database: D1Database): number {
  return budgets.get(database)?.left ?? Number.POSITIVE_INFINITY;
}
