import { notFound } from "../../lib/common/errors.ts";
import type { LogFields } from "../../lib/common/log.ts";
import { readSettings, type Settings } from "../../lib/common/settings.ts";
import { type ObjectContext, ObjectState } from "../../lib/objects/object-state.ts";
import { SessionTelemetry } from "../telemetry/index.ts";
import { type SessionRecord, SessionStorage } from "./record.ts";

/** An object whose only activity is an outgoing socket is evicted after 70 to 140 s without an event. */
const MAX_PING_INTERVAL_MS = 40_000;

/**
 * `start`: undo a start that crashed; `inactivity`, `lifetime`: end the session; `ping`: keep its browser;
 * `recheck`: see whether a silent one is lost; `record`: continue a recording that was lost; `snapshot`: keep
 * what its tabs show; `finish-recordings`: complete those that have ended; `handoff`: expire handoffs;
 * `clean-up`: finish an end; `archive`: file its events; `tombstone`: delete what is left.
 */
export type SessionDeadline =
  | "start"
  | "inactivity"
  | "lifetime"
  | "ping"
  | "recheck"
  | "record"
  | "snapshot"
  | "finish-recordings"
  | "handoff"
  | "clean-up"
  | "archive"
  | "tombstone";

type StartedRecord = Omit<SessionRecord, "phase">;

/** The live state of one session, shared by the parts of its Durable Object. */
export class SessionState extends ObjectState<SessionRecord, SessionDeadline> {
  readonly storage: SessionStorage;
  readonly telemetry: SessionTelemetry;

  constructor(context: ObjectContext, env: Env) {
    super(context, env, "session");
    this.storage = new SessionStorage(context.storage);
    this.telemetry = new SessionTelemetry(env, context, () => this.living);
  }

  /** The session, unless it has ended. */
  get living(): SessionRecord | undefined {
    return this.record?.phase === "ended" ? undefined : this.record;
  }

  /** @throws ServiceError 404 when the session has ended. */
  requireLiving(): SessionRecord {
    const record = this.living;
    if (record === undefined) throw notFound("browser session");
    return record;
  }

  override write(record: SessionRecord): SessionRecord {
    // The given record may have been read before the URLs were revoked.
    const urlGeneration = Math.max(record.urlGeneration, this.record?.urlGeneration ?? 0);
    return super.write({ ...record, urlGeneration });
  }

  /** @throws ServiceError 404 when the session has ended. */
  update(change: Partial<SessionRecord>): void {
    this.write({ ...this.requireLiving(), ...change });
  }

  /** Makes the session active, which starts its time-outs. */
  async becomeActive(record: StartedRecord): Promise<void> {
    const lifetimes = [this.settings.maxSessionMs, record.maxLifetimeMs ?? 0].filter((limit) => limit > 0);
    this.write({ ...record, phase: "active" });
    await this.deadlines.replace({
      inactivity: Date.now() + record.timeoutMs,
      ...this.upkeep,
      ...(lifetimes.length === 0 ? {} : { lifetime: Date.now() + Math.min(...lifetimes) }),
    });
    this.telemetry.record({ category: "system", type: "session_started" });
  }

  /** Makes a pooled session wait in its pool, for as long as it takes. */
  async becomeIdle(record: StartedRecord): Promise<void> {
    this.write({ ...record, phase: "idle" });
    await this.deadlines.replace(this.upkeep);
  }

  get settings(): Settings {
    return readSettings(this.env);
  }

  override get identity(): LogFields {
    return { session_id: this.record?.id, organization_id: this.record?.organizationId };
  }

  /** The next regular work. All at the same time, so that it costs one alarm. */
  get upkeep() {
    const at = Date.now() + pingInterval(this.settings.browserKeepAliveMs);
    return { ping: at, record: at, snapshot: at, "finish-recordings": at };
  }
}

/** How often a browser is sent a command, so that the platform keeps it and the object connected to it. */
function pingInterval(keepAliveMs: number): number {
  return Math.min(MAX_PING_INTERVAL_MS, keepAliveMs / 3);
}
