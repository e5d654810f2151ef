/**
 * The limits of a page of the platform's list of browsers
 * (https://developers.cloudflare.com/api/resources/browser_rendering/subresources/devtools/subresources/session/methods/list/).
 */
const MAX_LIMIT = 200;

/** Not documented. A small value reveals code that relies on it. */
const DEFAULT_LIMIT = 20;

/** @returns a page by `limit` and `offset`; undefined when they are out of range. */
export function selectPage<T>(items: readonly T[], query: URLSearchParams): T[] | undefined {
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  const offset = Number(query.get("offset") ?? 0);
  const isValid = [limit, offset].every(Number.isInteger) && limit >= 1 && limit <= MAX_LIMIT && offset >= 0;
  return isValid ? items.slice(offset, offset + limit) : undefined;
}
