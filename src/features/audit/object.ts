import { DurableObject } from "cloudflare:workers";
import { deleteObjects } from "../../lib/common/delete-objects.ts";
import { gzip } from "../../lib/common/gzip.ts";
import { logError } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { ObjectState } from "../../lib/objects/object-state.ts";
import { findOrganization } from "../organizations/index.ts";
import { appendLine, emptyChain, type Link } from "./chain.ts";
import type { NewEntry } from "./entry.ts";
import type { VerificationQuery } from "./schema.ts";
import { fileKey, filePrefix, MAX_ENTRIES, type Segment, SegmentTable } from "./segments.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The logs of all organizations must not write their files at the same time. */
const MAX_DELAY_MS = 3_600_000;

/** A batch is retried within seconds. */
const MAX_BATCHES = 50;

interface LogRecord {
  organizationId: string;
  /** The end of the chain before the oldest entry that is kept. */
  start: Link;
  end: Link;
  /** The last entry in a file. */
  filed: number;
  /** Ids of the latest batches. */
  batches: string[];
}

/** The audit log of one organization, named by its id: the single writer of its chain. */
export class AuditLog extends DurableObject<Env> {
  readonly #state: ObjectState<LogRecord, "maintain">;
  readonly #segments: SegmentTable;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = new ObjectState(ctx, env, "log");
    this.#segments = new SegmentTable(ctx.storage.sql);
  }

  /** @param batch id of the entries: a repeated one is ignored. */
  async append(organizationId: string, batch: string, entries: NewEntry[]): Promise<void> {
    const record = this.#append(this.#state.record ?? newRecord(organizationId), batch, entries);
    const now = Date.now();
    const planned = this.#state.deadlines.get("maintain");
    // A failed attempt is retried sooner.
    if (planned === undefined || (isFull(record) && planned > now + MINUTE_MS)) {
      await this.#state.deadlines.set({ maintain: isFull(record) ? now : nextMaintenance(now) });
    }
  }

  /** Segments before an entry that may contain calls of a time range, newest first. Perhaps not all. */
  listBefore(sequence: number, range: { start: number; end: number }): Segment[] {
    if (this.#state.record === undefined) return [];
    const condition = "first < ? AND latest >= ? AND earliest < ? ORDER BY first DESC";
    return this.#segments.list(condition, sequence, range.start, range.end);
  }

  /**
   * The segments of a day after an entry, in order and perhaps not all of them, with the chain's end before
   * them and at the end of the day.
   */
  listDay(organizationId: string, { day, after }: VerificationQuery) {
    const { start, end } = this.#state.record ?? newRecord(organizationId);
    if (this.#state.record === undefined) return { before: start, segments: [], last: 0 };
    const isBefore = "day < ? OR (day = ? AND last <= ?) ORDER BY first DESC";
    const earlier = this.#segments.first(isBefore, day, day, after);
    const before = earlier === undefined ? start : endOf(earlier);
    const segments = this.#segments.list("day = ? AND first > ? ORDER BY first", day, before.sequence);
    const next = this.#segments.first("day > ? ORDER BY first", day);
    return { before, segments, last: next === undefined ? end.sequence : next.first - 1 };
  }

  /** Deletes the log soon if its organization has been deleted. */
  async settle(): Promise<void> {
    if (this.#state.record !== undefined) await this.#state.deadlines.set({ maintain: Date.now() });
  }

  override async alarm(): Promise<void> {
    await this.#state.deadlines.run(
      () => this.#maintain(),
      (_, error) =>
        logError("audit_log_not_maintained", error, { organization_id: this.#state.record?.organizationId }),
    );
  }

  /** Runs without interruption, so that no two batches continue the same entry. */
  #append(record: LogRecord, batch: string, entries: NewEntry[]): LogRecord {
    if (record.batches.includes(batch)) return record;
    let end = record.end;
    let lines = "";
    for (const entry of entries) {
      const appended = appendLine(end, entry);
      lines += `${appended.line}\n`;
      end = appended.end;
    }
    const times = entries.map(({ timestamp }) => Date.parse(timestamp));
    this.#segments.insert({
      first: record.end.sequence + 1,
      last: end.sequence,
      day: dayOf(Date.now()),
      earliest: Math.min(...times),
      latest: Math.max(...times),
      hash: end.hash,
      lines,
    });
    return this.#state.write({ ...record, end, batches: [...record.batches.slice(-MAX_BATCHES), batch] });
  }

  /** Only the alarm runs this, so it never runs concurrently. Batches may arrive in the meantime. */
  async #maintain(): Promise<void> {
    if (this.#state.record === undefined) return;
    const { organizationId } = this.#state.record;
    const organization = await findOrganization(this.#state.database, organizationId);
    if (organization === undefined) return this.#delete(organizationId);
    const now = Date.now();
    for (;;) {
      const segment = this.#segments.mergedAfter(this.#state.record.filed);
      if (segment === undefined || (segment.day === dayOf(now) && !isFull(this.#state.record))) break;
      await this.env.FILES.put(fileKey(organizationId, segment), await gzip(segment.lines));
      this.#segments.remove(segment);
      this.#segments.insert({ ...segment, lines: null });
      this.#state.write({ ...this.#state.record, filed: segment.last });
    }
    const expired = now - readSettings(this.env).auditLogRetentionMs;
    for (;;) {
      const segment = this.#segments.first("TRUE ORDER BY first");
      if (segment === undefined || segment.latest >= expired) break;
      if (segment.lines === null) await this.env.FILES.delete(fileKey(organizationId, segment));
      this.#segments.remove(segment);
      const filed = Math.max(segment.last, this.#state.record.filed);
      this.#state.write({ ...this.#state.record, start: endOf(segment), filed });
    }
    await this.#state.deadlines.set({ maintain: nextMaintenance(now) });
  }

  async #delete(organizationId: string): Promise<void> {
    await deleteObjects(this.env.FILES, filePrefix(organizationId));
    await this.#state.delete();
  }
}

function newRecord(organizationId: string): LogRecord {
  const start = emptyChain(organizationId);
  return { organizationId, start, end: start, filed: 0, batches: [] };
}

function endOf({ last, hash }: Segment): Link {
  return { sequence: last, hash };
}

/** Whether there are enough entries for a file. */
function isFull({ end, filed }: LogRecord): boolean {
  return end.sequence - filed >= MAX_ENTRIES;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Some time after the end of the day. */
function nextMaintenance(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS + Math.floor(Math.random() * MAX_DELAY_MS);
}
