import { exports } from "cloudflare:workers";
import { EventLog, type EventReader } from "../../lib/http/event-log.ts";
import { type TelemetryConfig, wants } from "./config.ts";
import type { Category, NewEvent, NumberedEvent, TelemetryEvent } from "./event.ts";
import { type EventPage, type EventQuery, readEventPage } from "./event-pages.ts";
import { EventStore } from "./event-store.ts";
import { OTLPExporter } from "./export/index.ts";
import { type LogLine, toLogLine } from "./log-lines.ts";

interface ConfiguredSession {
  id: string;
  organizationId: string;
  invocationId: string | null;
  pool?: { id: string };
  phase: string;
  telemetry: TelemetryConfig;
}

/** How long the last events of a session may take to be sent. */
const EXPORT_TIMEOUT_MS = 10_000;

/** Limits the lines waiting for readers of the log, in UTF-16 units. */
const MAX_LOG_LENGTH = 1024 * 1024;

/** The telemetry of a living session, in its object. */
export class SessionTelemetry {
  readonly store: EventStore;
  readonly #env: Env;
  readonly #readSession: () => ConfiguredSession | undefined;
  #log = newLog();
  #exporter: { exporter: OTLPExporter; target: TelemetryConfig["export"] } | undefined;

  /** @param readSession returns undefined before the session starts and after it has ended. */
  constructor(
    env: Env,
    { storage }: Pick<DurableObjectState, "storage">,
    readSession: () => ConfiguredSession | undefined,
  ) {
    this.#env = env;
    this.#readSession = readSession;
    this.store = new EventStore(storage, (count) => this.recordDropped("oldest", count));
  }

  /** Whether an event is to be observed: it is recorded, or someone reads the log. */
  wants(category: TelemetryEvent["category"], type: string): boolean {
    const isLogged = category === "console" || type === "page_crashed";
    return this.#isRecorded(category, type) || (this.#log.isRead && isLogged);
  }

  get wantsBodies(): boolean {
    return this.#readSession()?.telemetry.bodies ?? false;
  }

  /** Records an event if it is wanted. What happens while the session starts is not recorded. */
  record(event: NewEvent): void {
    if (this.#readSession()?.phase === "starting") return;
    const { source = { kind: "kernel_api" }, ts = Date.now() * 1000 } = event;
    const observed: TelemetryEvent = { ...event, source, ts: Math.round(ts) };
    if (this.#log.isRead) appendLine(this.#log, observed);
    if (!this.#isRecorded(event.category, event.type)) return;
    const recorded = this.store.append(observed);
    if (recorded !== undefined) this.#currentExporter()?.export([recorded]);
  }

  /** Says in the events that some are missing: of a category, or the oldest ones. */
  recordDropped(what: Category | "oldest", count: number): void {
    this.record({ category: "monitor", type: "monitor_events_dropped", data: { what, count } });
  }

  readPage(query: EventQuery): Promise<EventPage> {
    return readEventPage(this.store, query);
  }

  /** @param after number of an event; undefined: only new events. */
  follow(after: number | undefined): EventReader<NumberedEvent> {
    return this.store.follow(after ?? this.store.lastSeq);
  }

  /** Reads new lines of the browser's log, recorded or not; or recorded ones. Other processes have no log. */
  readLog({ process, follows }: { process: string; follows: boolean }): EventReader<LogLine> {
    const isBrowser = process === "chromium";
    if (isBrowser && follows) return this.#log.read({ onlyNew: true });
    const log = newLog();
    const reader = log.read();
    for (const batch of isBrowser ? this.store.list() : []) {
      for (const { event } of this.store.read(batch)) appendLine(log, event);
    }
    if (!isBrowser) log.append({ message: "Only the process chromium has a log", ts: Date.now() * 1000 });
    log.end();
    return reader;
  }

  /** Ends the readers of the log because their lease is over. */
  endLog(): void {
    this.#log.end();
    this.#log = newLog();
  }

  /** Writes the last events. Resolves when they are exported. */
  async end(): Promise<void> {
    this.store.end();
    this.#log.end();
    await this.#endExport();
  }

  #isRecorded(category: TelemetryEvent["category"], type: string): boolean {
    const config = this.#readSession()?.telemetry;
    return config !== undefined && wants(config, { category, type });
  }

  #currentExporter(): OTLPExporter | undefined {
    const session = this.#readSession();
    const target = session?.telemetry.export;
    if (target !== this.#exporter?.target) void this.#endExport();
    if (session === undefined || target === undefined) return undefined;
    if (this.#exporter === undefined) {
      const { id: sessionId, organizationId, invocationId, pool } = session;
      const exporter = new OTLPExporter({
        env: this.#env,
        organizationId,
        destinationId: target.destinationId,
        attributes: {
          sessionId,
          name: target.name ?? undefined,
          tags: target.tags,
          poolId: pool?.id,
          invocationId: invocationId ?? undefined,
        },
        send: (destination, body) => exports.OutgoingCalls.sendLogs(destination, body),
        onFailure: (message, count) =>
          this.record({ category: "monitor", type: "monitor_export_failed", data: { message, count } }),
      });
      this.#exporter = { exporter, target };
    }
    return this.#exporter.exporter;
  }

  async #endExport(): Promise<void> {
    const exporter = this.#exporter?.exporter;
    this.#exporter = undefined;
    await exporter?.flush(EXPORT_TIMEOUT_MS);
    exporter?.close();
  }
}

function newLog(): EventLog<LogLine> {
  return new EventLog({
    capacity: MAX_LOG_LENGTH,
    sizeOf: ({ message }) => message.length,
    dropsUnread: true,
    describeMissed: (count) => ({ message: `[${count} lines were dropped]`, ts: Date.now() * 1000 }),
  });
}

function appendLine(log: EventLog<LogLine>, event: TelemetryEvent): void {
  const line = toLogLine(event);
  if (line !== undefined) log.append(line);
}
