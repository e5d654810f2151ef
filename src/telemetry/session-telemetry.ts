import type { EventReader } from "../http/event-log.ts";
import { type TelemetryConfig, wants } from "./config.ts";
import type { Category, NewEvent, NumberedEvent, TelemetryEvent } from "./event.ts";
import { type EventPage, type EventQuery, readEventPage } from "./event-pages.ts";
import { EventStore } from "./event-store.ts";
import { OTLPExporter } from "./export/index.ts";

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

/** The telemetry of a living session, in its object. */
export class SessionTelemetry {
  readonly store: EventStore;
  readonly #env: Env;
  readonly #readSession: () => ConfiguredSession | undefined;
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

  wants(category: TelemetryEvent["category"], type: string): boolean {
    const config = this.#readSession()?.telemetry;
    return config !== undefined && wants(config, { category, type });
  }

  get wantsBodies(): boolean {
    return this.#readSession()?.telemetry.bodies ?? false;
  }

  /** Records an event if it is wanted. What happens while the session starts is not recorded. */
  record(event: NewEvent): void {
    if (this.#readSession()?.phase === "starting") return;
    if (!this.wants(event.category, event.type)) return;
    const recorded = this.store.append({ ...event, ts: Math.round(event.ts ?? Date.now() * 1000) });
    if (recorded !== undefined) this.#currentExporter()?.export([recorded]);
  }

  /** Says in the events that some are missing: of a category, or the oldest ones. */
  recordDropped(what: Category | "oldest", count: number): void {
    const source = { kind: "kernel_api" as const };
    this.record({ category: "monitor", type: "monitor_events_dropped", source, data: { what, count } });
  }

  readPage(query: EventQuery): Promise<EventPage> {
    return readEventPage(this.store, query);
  }

  /** @param after number of an event; undefined: only new events. */
  follow(after: number | undefined): EventReader<NumberedEvent> {
    return this.store.follow(after ?? this.store.lastSeq);
  }

  /** Writes the last events. Resolves when they are exported. */
  async end(): Promise<void> {
    this.store.end();
    await this.#endExport();
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
        onFailure: (message, count) => {
          const source = { kind: "kernel_api" as const };
          this.record({
            category: "monitor",
            type: "monitor_export_failed",
            source,
            data: { message, count },
          });
        },
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
