import { readLines } from "./files.ts";
import { matches } from "./filter.ts";
import type { AuditLogEntry, EntryFilter } from "./schema.ts";
import type { Segment } from "./segments.ts";
import { auditLogObject } from "./stub.ts";

/** A page that has entries ends after so many were read. */
const MAX_SCANNED = 100_000;

/** The SDK takes an empty page for the last one. */
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

/** Reads a page of the entries that match. It may be short, or empty, when few do. */
export async function readPage(env: Env, organizationId: string, query: PageQuery): Promise<EntryPage> {
  const items: EntryPage["items"] = [];
  let { before } = query;
  let scanned = 0;
  let length = 0;
  for await (const segment of listSegments(env, organizationId, query)) {
    const lines = await readLines(env.FILES, organizationId, segment);
    for (const line of lines.reverse()) {
      const entry: AuditLogEntry = JSON.parse(line);
      if (entry.sequence >= before || !matches(entry, query.filter)) continue;
      length += line.length;
      if (items.length === query.limit || length > MAX_LENGTH) return { items, next: before };
      items.push({ entry, line });
      before = entry.sequence;
    }
    before = segment.first;
    scanned += lines.length;
    if (scanned >= (items.length > 0 ? MAX_SCANNED : MAX_SCANNED_IN_VAIN)) return { items, next: before };
  }
  return { items };
}

async function* listSegments(
  env: Env,
  organizationId: string,
  { filter: { start, end }, before }: PageQuery,
): AsyncGenerator<Segment> {
  const log = auditLogObject(env, organizationId);
  for (let oldest = before; ; ) {
    const segments = await log.listBefore(oldest, { start, end });
    yield* segments;
    const last = segments.at(-1);
    if (last === undefined) return;
    oldest = last.first;
  }
}
