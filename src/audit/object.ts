import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../alarms/deadlines.ts";
import { deleteObjects } from "../common/delete-objects.ts";
import { logError } from "../common/log.ts";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { listKnownIds } from "../database/known-ids.ts";
import { organizations } from "../database/schema/organizations.ts";
import { appendLine, emptyChain, type Link } from "./chain.ts";
import type { NewEntry } from "./entry.ts";
import { organizationPrefix, segmentKey, writeSegment } from "./files.ts";
import { ENTRIES_PER_FILE, type Segment, SegmentTable } from "./segments.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The logs of all organizations must not write their files at the same time. */
const MAX_DELAY_MS = 3_600_000;

/** A batch is repeated within seconds. */
const MAX_BATCHES = 50;

const RECORD_KEY = "log";

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

interface DayPart {
  segments: Segment[];
  /** Where their chain begins. */
  start: Link;
  /** The last entry of the whole day. */
  last: number;
}

/** The audit log of one organization, named by its id: the single writer of its chain. */
export class AuditLog extends DurableObject<Env> {
  #record: LogRecord | undefined;
  readonly #segments: SegmentTable;
  readonly #deadlines: Deadlines<"maintain">;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#record = ctx.storage.kv.get<LogRecord>(RECORD_KEY);
    this.#segments = new SegmentTable(ctx.storage.sql);
    this.#deadlines = new Deadlines(ctx.storage);
  }

  /** @param batch id of the entries: a repeated one is ignored. */
  async append(organizationId: string, batch: string, entries: NewEntry[]): Promise<void> {
    const { end, filed } = this.#append(organizationId, batch, entries);
    const now = Date.now();
    const isFull = end.sequence - filed >= ENTRIES_PER_FILE;
    const planned = this.#deadlines.get("maintain");
    // A failed attempt is repeated sooner.
    if (planned === undefined || (isFull && planned > now + MINUTE_MS)) {
      await this.#deadlines.set({ maintain: isFull ? now : nextMaintenance(now) });
    }
  }

  /** Segments that may have calls of a time range, newest first, from before an entry. Perhaps not all. */
  listBefore(sequence: number, range: { start: number; end: number }): Segment[] {
    return this.#record === undefined ? [] : this.#segments.listBefore(sequence, range);
  }

  /** Segments of a day, oldest first, from after an entry. Perhaps not all. */
  readDay(organizationId: string, day: string, after: number): DayPart {
    const empty = emptyChain(organizationId);
    if (this.#record === undefined) return { segments: [], start: empty, last: 0 };
    return {
      segments: this.#segments.listDay(day, after),
      start: this.#segments.startOfDay(day, after) ?? this.#record.start,
      last: this.#segments.lastOfDay(day) ?? this.#record.end.sequence,
    };
  }

  /** Soon deletes the log if its organization is deleted. */
  async settle(): Promise<void> {
    if (this.#record !== undefined) await this.#deadlines.set({ maintain: Date.now() });
  }

  override async alarm(): Promise<void> {
    const fields = { organization_id: this.#record?.organizationId };
    await this.#deadlines.run(
      () => this.#maintain(),
      (_, error) => logError("audit_log_not_maintained", error, fields),
    );
  }

  /** Runs without interruption, so that no two batches continue the same entry. */
  #append(organizationId: string, batch: string, entries: NewEntry[]): LogRecord {
    const empty = emptyChain(organizationId);
    const record = this.#record ?? { organizationId, start: empty, end: empty, filed: 0, batches: [] };
    if (record.batches.includes(batch)) return record;
    if (this.#record === undefined) this.#segments.create();
    let end = record.end;
    let lines = "";
    for (const entry of entries) {
      const appended = appendLine(end, entry);
      lines += `${appended.line}\n`;
      end = appended.end;
    }
    const times = entries.map(({ timestamp }) => Date.parse(timestamp));
    const segment: Segment = {
      first: record.end.sequence + 1,
      last: end.sequence,
      day: dayOf(Date.now()),
      earliest: Math.min(...times),
      latest: Math.max(...times),
      hash: end.hash,
      lines,
    };
    const changed = { ...record, end, batches: [...record.batches.slice(-MAX_BATCHES), batch] };
    this.ctx.storage.transactionSync(() => {
      this.#segments.insert(segment);
      this.#write(changed);
    });
    return changed;
  }

  /** Only the alarm runs it, so once at a time. Batches may arrive meanwhile. */
  async #maintain(): Promise<void> {
    if (this.#record === undefined) return;
    const { organizationId } = this.#record;
    const known = await listKnownIds(openDatabase(this.env.DB), organizations, [organizationId]);
    if (!known.has(organizationId)) return this.#delete(organizationId);
    const now = Date.now();
    for (const { segment, lines } of this.#segments.dueForFile(dayOf(now))) {
      await writeSegment(this.env.FILES, organizationId, segment, lines);
      this.#replace(segment, [segment], { filed: segment.last });
    }
    for (const segment of this.#segments.expired(now - readSettings(this.env).auditLogRetentionMs)) {
      if (segment.lines === null) await this.env.FILES.delete(segmentKey(organizationId, segment));
      const { last, hash } = segment;
      this.#replace(segment, [], {
        start: { sequence: last, hash },
        filed: Math.max(last, this.#record.filed),
      });
    }
    await this.#deadlines.set({ maintain: nextMaintenance(now) });
  }

  #replace(old: Segment, segments: Segment[], change: Partial<LogRecord>): void {
    const { ctx } = this;
    ctx.storage.transactionSync(() => {
      this.#segments.remove(old);
      for (const segment of segments) this.#segments.insert(segment);
      if (this.#record !== undefined) this.#write({ ...this.#record, ...change });
    });
  }

  async #delete(organizationId: string): Promise<void> {
    await deleteObjects(this.env.FILES, organizationPrefix(organizationId));
    this.#record = undefined;
    await this.ctx.storage.deleteAll();
  }

  #write(record: LogRecord): void {
    this.ctx.storage.kv.put(RECORD_KEY, record);
    this.#record = record;
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Some time after the end of the day. */
function nextMaintenance(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS + Math.floor(Math.random() * MAX_DELAY_MS);
}
