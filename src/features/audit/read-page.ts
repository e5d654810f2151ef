import type { AuditLogEntry, EntryFilter } from "./schema.ts";
import { readLines } from "./segments.ts";

/** A page that has entries ends after this many were read. */
const MAX_SCANNED = 100_000;

/** The SDK treats an empty page as the last one. */
const MAX_SCANNED_IN_VAIN = 1_000_000;

const MAX_LENGTH = 8 * 1024 * 1024;

interface PageQuery {
  filter: EntryFilter;
  limit: number;
  /** Only entries before this one. */
  before: number;
}

interface EntryPage {
  /** Newest first. */
  items: { entry: AuditLogEntry; line: string }[];
  /** Where the next page starts; undefined on the last one. */
  next?: number;
}

/** Reads a page of the matching entries. It may be short or empty if few match. */
export async function readPage(env: Env, organizationId: string, query: PageQuery): Promise<EntryPage> {
  const { filter, limit } = query;
  const log = env.AUDIT_LOG.getByName(organizationId);
  const items: EntryPage["items"] = [];
  let { before: next } = query;
  let scanned = 0;
  let length = 0;
  for (;;) {
    const segments = await log.listBefore(next, { start: filter.start, end: filter.end });
    if (segments.length === 0) return { items };
    for (const segment of segments) {
      const lines = await readLines(env, organizationId, segment);
      for (const line of lines.reverse()) {
        const entry: AuditLogEntry = JSON.parse(line);
        if (entry.sequence >= next || !matches(entry, filter)) continue;
        length += line.length;
        if (items.length === limit || length > MAX_LENGTH) return { items, next };
        items.push({ entry, line });
        next = entry.sequence;
      }
      next = segment.first;
      scanned += lines.length;
      if (scanned >= (items.length > 0 ? MAX_SCANNED : MAX_SCANNED_IN_VAIN)) return { items, next };
    }
  }
}

/** Whether an entry is one that the caller wants. */
function matches(entry: AuditLogEntry, filter: EntryFilter): boolean {
  const { path, user_id, email, client_ip, status } = entry;
  const { auth_strategy = entry.auth_strategy, service = entry.service, method = entry.method } = filter;
  const { search = "", search_user_id, exclude_console_reads } = filter;
  const time = Date.parse(entry.timestamp);
  const isMethod = (name: string) => name.toUpperCase() === entry.method.toUpperCase();
  const isFound = [path, user_id, email, client_ip, String(status)].some((value) =>
    value.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    time >= filter.start &&
    time < filter.end &&
    entry.auth_strategy === auth_strategy &&
    entry.service === service &&
    isMethod(method) &&
    !filter.exclude_method.some(isMethod) &&
    !(exclude_console_reads && entry.auth_strategy === "console_session" && isMethod("GET")) &&
    (search_user_id.includes(user_id) || (search === "" ? search_user_id.length === 0 : isFound))
  );
}
