/** The modules of the Kernel SDK that call its API, by path. */
export const sdkSources = import.meta.glob<string>("../node_modules/@onkernel/sdk/resources/**/*.mjs", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Matches `this._client.post(path`/browsers/${id}/curl`, …)`; the path may be a plain string. */
const CALL = /_client\.(getAPIList|get|post|put|patch|delete)\(\s*(?:path\s*)?[`'"]([^`'"]+)[`'"]/g;

/** The routes that a part of the SDK calls, as {@link normalizeRoute} writes them. */
export function calledRoutes(source: string): string[] {
  return [...source.matchAll(CALL)].map(([, method = "", path = ""]) =>
    normalizeRoute(method === "getAPIList" ? "GET" : method, path),
  );
}

/** How often a part of the SDK calls the API, whatever the call looks like. */
export function countCalls(source: string): number {
  return source.match(/_client\.(getAPIList|get|post|put|patch|delete)\(/g)?.length ?? 0;
}

/** "METHOD /path" with every parameter as `{}`. */
export function normalizeRoute(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\$\{[^}]+\}|:[A-Za-z_]+|\{[^}]+\}/g, "{}")}`;
}
