import { logError } from "../../../lib/common/log.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { OTLPDestinationRow } from "../../../lib/database/schema/telemetry.ts";
import { Deadline } from "../../../platform/network/deadline.ts";
import type { NumberedEvent } from "../event.ts";
import { encodeRecord, encodeRequest, type RequestFrame, wrapRecords } from "./log-records.ts";
import type { SendResult } from "./send-logs.ts";
import { findDestination } from "./store.ts";

const BATCH = { count: 512, bytes: 512 * 1024, waitMs: 2000 };
const QUEUE = { count: 2000, bytes: 2 * 1024 * 1024 };
const RETRY = { firstMs: 1000, longestMs: 16_000, totalMs: 60_000 };
/** How long a change of the destination may go unnoticed. */
const DESTINATION_AGE_MS = 30_000;

export interface ExporterOptions {
  env: Env;
  organizationId: string;
  destinationId: string;
  attributes: {
    sessionId: string;
    name?: string;
    tags: Record<string, string>;
    poolId?: string;
    invocationId?: string;
  };
  /** Sends a request once, outside the session's object. */
  send(destination: OTLPDestinationRow, body: Uint8Array): Promise<SendResult>;
  /** Called at most once for each batch, and by `close`. The message is meant for the user. */
  onFailure(message: string, droppedCount: number): void;
}

/**
 * Sends the events of a session to its OTLP destination, except pictures and events about telemetry itself.
 * Events wait in memory, so they are lost if the session's object restarts.
 *
 * @example
 * const exporter = new OTLPExporter({ env, organizationId, destinationId, attributes, send, onFailure });
 * exporter.export([{ seq: 1, event }]);
 * await exporter.flush(5000);
 * exporter.close();
 */
export class OTLPExporter {
  readonly #options: ExporterOptions;
  readonly #closed = new AbortController();
  readonly #frame: RequestFrame;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #overflowed = 0;
  /** Records of the request under way. */
  #inFlight = 0;
  #sending: Promise<void> | undefined;
  /** Waits for the next batch, or for the next attempt. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #destination: OTLPDestinationRow | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: ExporterOptions) {
    const { sessionId, name, tags, poolId, invocationId } = options.attributes;
    this.#options = options;
    this.#frame = wrapRecords({
      "service.name": "berth",
      "berth.session.id": sessionId,
      "berth.session.name": name,
      "berth.pool.id": poolId,
      "berth.invocation.id": invocationId,
      ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`berth.tag.${key}`, value])),
    });
  }

  /** Never throws or waits. When the queue is full, the oldest events are dropped. */
  export(events: readonly NumberedEvent[]): void {
    if (this.#closed.signal.aborted) return;
    for (const event of events) {
      if (event.event.category === "screenshot" || event.event.category === "monitor") continue;
      const record = encodeRecord(event, Date.now());
      this.#queue.push(record);
      this.#queuedBytes += record.length;
      while (this.#queue.length > QUEUE.count || this.#queuedBytes > QUEUE.bytes) {
        this.#queuedBytes -= this.#queue.shift()?.length ?? 0;
        this.#overflowed++;
      }
    }
    this.#schedule();
  }

  /** Resolves when all events are delivered or dropped, or after the given time. */
  async flush(timeoutMs: number): Promise<void> {
    const deadline = new Deadline(timeoutMs, this.#closed.signal);
    try {
      while (this.#sending || this.#queue.length > 0) {
        if (!this.#sending) this.#start();
        await deadline.limit(Promise.resolve(this.#sending));
      }
    } catch {
      // The time is over, or the exporter is closed.
    } finally {
      deadline.clear();
    }
  }

  /** Drops what is not delivered. A request under way ends by its own time limit. */
  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    clearTimeout(this.#timer);
    const dropped = this.#queue.length + this.#inFlight + this.#overflowed;
    this.#queue = [];
    if (dropped > 0) this.#options.onFailure("The session ended before the export was complete", dropped);
  }

  #schedule(): void {
    if (this.#sending || this.#queue.length === 0 || this.#closed.signal.aborted) return;
    if (this.#queue.length >= BATCH.count || this.#queuedBytes >= BATCH.bytes) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), BATCH.waitMs);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending = this.#deliver(this.#takeBatch()).finally(() => {
      this.#inFlight = 0;
      this.#sending = undefined;
      this.#schedule();
    });
  }

  /** At least one record, even if it is larger than a batch should be. */
  #takeBatch(): Uint8Array[] {
    let count = 0;
    let bytes = 0;
    for (const record of this.#queue.slice(0, BATCH.count)) {
      if (count > 0 && bytes + record.length > BATCH.bytes) break;
      count++;
      bytes += record.length;
    }
    this.#queuedBytes -= bytes;
    this.#inFlight = count;
    return this.#queue.splice(0, count);
  }

  async #deliver(records: Uint8Array[]): Promise<void> {
    const body = await encodeRequest(this.#frame, records);
    const giveUpAt = Date.now() + RETRY.totalMs;
    for (let attempt = 0; !this.#closed.signal.aborted; attempt++) {
      const result = await this.#send(body);
      if (this.#closed.signal.aborted) return;
      const delay = result.retryAfterMs ?? backoff(attempt);
      if (!result.isRetryable || Date.now() + delay > giveUpAt) return this.#report(result, records.length);
      await new Promise<void>((resolve) => {
        this.#timer = setTimeout(resolve, delay);
      });
      this.#timer = null;
    }
  }

  async #send(body: Uint8Array): Promise<SendResult> {
    try {
      const destination = await this.#readDestination();
      if (!destination) return { failure: "The OTLP destination was deleted" };
      return await this.#options.send(destination, body);
    } catch (error) {
      if (!this.#closed.signal.aborted) logError("otlp_export_failed", error);
      return { failure: "Internal error", isRetryable: true };
    }
  }

  async #readDestination(): Promise<OTLPDestinationRow | undefined> {
    const { env, organizationId, destinationId } = this.#options;
    if (Date.now() - this.#readAt > DESTINATION_AGE_MS) {
      this.#destination = await findDestination(openDatabase(env.DB), organizationId, destinationId);
      this.#readAt = Date.now();
    }
    return this.#destination;
  }

  #report({ failure, rejected }: SendResult, count: number): void {
    const lost = failure === undefined ? 0 : Math.min(rejected ?? count, count);
    const message = failure ?? "Events were dropped because the queue was full";
    if (failure !== undefined || this.#overflowed > 0)
      this.#options.onFailure(message, lost + this.#overflowed);
    this.#overflowed = 0;
  }
}

/** Random, so that sessions do not retry all at once. */
function backoff(attempt: number): number {
  return Math.min(RETRY.firstMs * 2 ** attempt, RETRY.longestMs) * (0.5 + Math.random() / 2);
}
