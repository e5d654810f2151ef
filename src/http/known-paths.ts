import { TrieRouter } from "hono/router/trie-router";

interface Route {
  method: string;
  path: string;
}

/** Registered for middleware and fallbacks, which are no routes of their own. */
const ANY_METHOD = "ALL";

/** Tells a path that is unknown from one that is known with other methods. */
export class KnownPaths {
  readonly #router = new TrieRouter<string>();
  readonly #methods: string[];

  constructor(routes: readonly Route[]) {
    const named = routes.filter(({ method }) => method !== ANY_METHOD);
    for (const { method, path } of named) this.#router.add(method, path, method);
    this.#methods = [...new Set(named.map(({ method }) => method))].sort();
  }

  /** The methods that a path is known with, in the order of the alphabet; GET comes with HEAD. */
  methodsOf(path: string): string[] {
    return this.#methods
      .filter((method) => this.#router.match(method, path)[0].length > 0)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  }
}
