import type { Query } from "../../app/query.ts";

export const STATUSES = [
  ["active", "Active"],
  ["deleted", "Ended"],
  ["all", "All"],
] as const;

/** Parameters that select by id, as the API has them. */
const BY_ID = [
  ["pool_id", "pool"],
  ["profile_id", "profile"],
  ["proxy_id", "proxy"],
  ["api_key_id", "key"],
  ["invocation_id", "invocation"],
] as const;

export function readStatus(query: Query) {
  return STATUSES.find(([status]) => status === query.status)?.[0] ?? "active";
}

/** The filters in the address. Each tag has a parameter of its own. */
export function readFilters(query: Query): { parameter: string; label: string; value: string }[] {
  const labels = new Map<string, string>(BY_ID);
  return Object.entries(query).flatMap(([parameter, value]) => {
    const tag = /^tags\[(.+)\]$/s.exec(parameter)?.[1];
    const label = tag === undefined ? labels.get(parameter) : `tag ${tag}`;
    return label === undefined || value === undefined ? [] : [{ parameter, label, value }];
  });
}

/** The query of the API for what the address asks for. */
export function toListQuery(query: Query, limit: number): string {
  const parameters = new URLSearchParams({ status: readStatus(query), limit: String(limit) });
  if (query.q) parameters.set("query", query.q);
  if (query.offset) parameters.set("offset", query.offset);
  for (const { parameter, value } of readFilters(query)) parameters.set(parameter, value);
  return parameters.toString();
}

/** The parameter for a text such as `team=shop`; undefined for one without a key. */
export function parseTagFilter(text: string): Record<string, string> | undefined {
  const [key = "", ...value] = text.split("=").map((part) => part.trim());
  return key === "" || value.length === 0 ? undefined : { [`tags[${key}]`]: value.join("=") };
}
