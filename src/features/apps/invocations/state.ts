import { Deadlines } from "../../../lib/alarms/deadlines.ts";
import type { LogFields } from "../../../lib/common/log.ts";
import { type Database, openDatabase } from "../../../lib/database/client.ts";
import { EventJournal } from "../event-journal.ts";
import type { InvocationRecord, StateChange } from "./record.ts";
import { isFinished } from "./transitions.ts";

const RECORD_KEY = "invocation";

/** `watch`: keep the object awake; `settle`: retry what follows the end. */
export type InvocationDeadline = "watch" | "settle";

/** The live state of one invocation, shared by the parts of its Durable Object. */
export class InvocationState {
  readonly env: Env;
  readonly object: DurableObjectState;
  readonly journal: EventJournal<StateChange>;
  readonly deadlines: Deadlines<InvocationDeadline>;
  /** Resolves when the object gets its record. */
  readonly accepted = Promise.withResolvers<void>();
  /** Resolves when the invocation has finished and the index has been updated, or does not respond. */
  readonly finished = Promise.withResolvers<void>();
  #record: InvocationRecord | undefined;

  constructor(object: DurableObjectState, env: Env) {
    this.env = env;
    this.object = object;
    this.journal = new EventJournal(object.storage);
    this.deadlines = new Deadlines(object.storage);
    this.#record = object.storage.kv.get<InvocationRecord>(RECORD_KEY);
  }

  /** Undefined before the invocation is accepted and after its logs are deleted. */
  get record(): InvocationRecord | undefined {
    return this.#record;
  }

  get isOver(): boolean {
    return this.#record !== undefined && isFinished(this.#record.row.status);
  }

  get database(): Database {
    return openDatabase(this.env.DB);
  }

  get identity(): LogFields {
    const { row } = this.#record ?? {};
    return { invocation_id: row?.id, organization_id: row?.organizationId };
  }

  write(record: InvocationRecord): void {
    this.#record = record;
    this.object.storage.kv.put(RECORD_KEY, record);
    this.accepted.resolve();
  }

  waitUntil(work: Promise<unknown>): void {
    this.object.waitUntil(work);
  }

  async delete(): Promise<void> {
    this.#record = undefined;
    await this.object.storage.deleteAlarm();
    await this.object.storage.deleteAll();
  }
}
