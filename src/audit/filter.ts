import type { AuditLogEntry, EntryFilter } from "./schema.ts";

/** Whether an entry is one of those that a caller wants. */
export function matches(entry: AuditLogEntry, filter: EntryFilter): boolean {
  const { start, end, auth_strategy, service, method, exclude_method } = filter;
  const time = Date.parse(entry.timestamp);
  return (
    time >= start &&
    time < end &&
    (auth_strategy === undefined || entry.auth_strategy === auth_strategy) &&
    (service === undefined || entry.service === service) &&
    (method === undefined || entry.method === method.toUpperCase()) &&
    !exclude_method.some((excluded) => excluded.toUpperCase() === entry.method) &&
    isFound(entry, filter)
  );
}

function isFound(entry: AuditLogEntry, { search, search_user_id }: EntryFilter): boolean {
  if (!search) return search_user_id.length === 0 || search_user_id.includes(entry.user_id);
  const { path, user_id, email, client_ip, status } = entry;
  const text = search.toLowerCase();
  return (
    search_user_id.includes(user_id) ||
    [path, user_id, email, client_ip, String(status)].some((value) => value.toLowerCase().includes(text))
  );
}
