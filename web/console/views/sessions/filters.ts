import type { Query } from "../../app/query.ts";
import { chosenValues, PAGE_SIZE } from "../../ui/list.tsx";

export const STATUS = {
  param: "status",
  label: "Status",
  options: [
    ["active", "Active"],
    ["deleted", "Ended"],
    ["all", "All"],
  ],
} as const;

/** Which sessions the address asks for. */
export function toStatus({ status }: Query): (typeof STATUS.options)[number][0] {
  return (STATUS.options.find(([value]) => value === status) ?? STATUS.options[0])[0];
}

const FILTER = /^(?:(pool|profile|proxy|api_key|invocation)_id|tags\[(.+)\])$/s;

/** The filters by ids and tags in the address. Each tag has a parameter of its own. */
export function readFilters(query: Query): { param: string; label: string; value: string }[] {
  return Object.entries(query).flatMap(([param, value]) => {
    const [, kind, tag] = FILTER.exec(param) ?? [];
    const label = kind?.replace("_", " ") ?? (tag && `tag ${tag}`);
    return label === undefined || value === undefined ? [] : [{ param, label, value }];
  });
}

/** The query of the API for what the address asks for. A search with `=` is for a tag. */
export function toListQuery(query: Query): string {
  const { q = "", offset = "0" } = query;
  const filters = readFilters(query).map(({ param, value }): [string, string] => [param, value]);
  const parameters = new URLSearchParams([
    ...Object.entries({ ...chosenValues([STATUS], query), limit: String(PAGE_SIZE), offset }),
    ...filters,
  ]);
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(q) ?? [];
  if (key !== undefined && value !== undefined) parameters.set(`tags[${key.trim()}]`, value.trim());
  else if (q !== "") parameters.set("query", q);
  return parameters.toString();
}
