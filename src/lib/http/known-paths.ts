import { TrieRouter } from "hono/router/trie-router";

interface Route {
  method: string;
  path: string;
}

/** Hono registers middleware and fallbacks with this method. */
const ANY_METHOD = "ALL";

export class KnownPaths {
  readonly #router = new TrieRouter<string>();
  readonly #methods: string[];

  constructor(routes: readonly Route[]) {
    const endpoints = routes.filter(({ method }) => method !== ANY_METHOD);
    for (const { method, path } of endpoints) this.#router.add(method, path, method);
    this.#methods = [...new Set(endpoints.map(({ method }) => method))].sort();
  }

  /** The methods of a path in alphabetical order. GET implies HEAD. */
  methodsOf(path: string): string[] {
    return this.#methods
      .filter((method) => this.#router.match(method, path)[0].length > 0)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  }
}
