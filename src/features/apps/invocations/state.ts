import type { LogFields } from "../../../lib/common/log.ts";
import { ObjectState } from "../../../lib/objects/object-state.ts";
import { EventJournal } from "../event-journal.ts";
import type { InvocationRecord, StateChange } from "./record.ts";
import { isFinished } from "./transitions.ts";

/** `watch`: keep the object awake; `settle`: retry what follows the end. */
export type InvocationDeadline = "watch" | "settle";

/** The live state of one invocation, shared by the parts of its Durable Object. */
export class InvocationState extends ObjectState<InvocationRecord, InvocationDeadline> {
  readonly object: DurableObjectState;
  readonly journal: EventJournal<StateChange>;
  /** Resolves when the object gets its record. */
  readonly accepted = Promise.withResolvers<void>();
  /** Resolves when the invocation has finished and the index has been updated, or does not respond. */
  readonly finished = Promise.withResolvers<void>();

  constructor(object: DurableObjectState, env: Env) {
    super(object, env, "invocation");
    this.object = object;
    this.journal = new EventJournal(object.storage);
  }

  get isOver(): boolean {
    return this.record !== undefined && isFinished(this.record.row.status);
  }

  override get identity(): LogFields {
    const { row } = this.record ?? {};
    return { invocation_id: row?.id, organization_id: row?.organizationId };
  }

  override write(record: InvocationRecord): InvocationRecord {
    this.accepted.resolve();
    return super.write(record);
  }
}
