import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { ServiceError } from "../../../lib/common/errors.ts";
import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { emitEvent } from "../../webhooks/index.ts";
import type { CreateHandoff, Handoff } from "../handoff-schema.ts";
import type { ConnectionScope } from "./scope.ts";

const MAX_PENDING = 5;
const MAX_KEPT = 50;

/** Less than the time-outs of clients. */
const AGENT_WAIT_SECONDS = 20;

const ENDINGS = {
  done: "Done, thank you. The agent takes over again.",
  expired: "The time for this request is up.",
  withdrawn: "This request was withdrawn.",
};

export type HandoffCall =
  | { do: "list" }
  | { do: "request"; body: CreateHandoff }
  | { do: "wait" | "withdraw"; id: string; seconds: number };

/** Requests to people. Each is ended by a person, its time limit, a call, or the session's or lease's end. */
export class SessionHandoffs {
  readonly #scope: ConnectionScope;
  readonly #onChange: () => void;
  readonly #waits = new Set<() => void>();
  #handoffs: Handoff[];

  /** @param onChange called when a handoff has begun or ended. */
  constructor(scope: ConnectionScope, onChange: () => void) {
    this.#scope = scope;
    this.#onChange = onChange;
    this.#handoffs = scope.state.storage.readHandoffs();
  }

  get pending(): Handoff[] {
    return this.#handoffs.filter(({ status }) => status === "pending");
  }

  /** @returns the handoffs the call names, newest first. @throws ServiceError 429 if too many are pending. */
  async serve(call: HandoffCall): Promise<Handoff[]> {
    if (call.do === "request") return [await this.#request(call.body)];
    if (call.do === "list") return this.#handoffs.toReversed();
    if (call.do === "withdraw") this.finish(call.id, "withdrawn");
    const named = this.#handoffs.filter(({ handoff_id }) => handoff_id === call.id);
    await this.#waitUntil(() => named.every(({ status }) => status !== "pending"), call.seconds);
    return named;
  }

  /** Ends a handoff, if it is pending. */
  finish(id: string, status: keyof typeof ENDINGS, note: string | null = null): void {
    const handoff = this.pending.find(({ handoff_id }) => handoff_id === id);
    if (handoff === undefined) return;
    Object.assign(handoff, { status, note, completed_at: new Date().toISOString() });
    this.#scope.activity.touch();
    this.#announce("handoff.completed", handoff);
  }

  /** The pending handoff of a viewer's link, or the oldest. @returns a message once the link's has ended. */
  shownTo(link: string | undefined): Handoff | string | null {
    if (link === undefined) return this.pending[0] ?? null;
    const own = this.#handoffs.find(({ handoff_id }) => handoff_id === link);
    return own?.status === "pending" ? own : ENDINGS[own?.status ?? "withdrawn"];
  }

  /** Whether only a person may see and drive the session. */
  get pausesAgent(): boolean {
    return this.pending.some(({ pause_agent }) => pause_agent);
  }

  /** Waits while only a person may drive the session. @throws ServiceError 409 after a while. */
  async requireAgentMayAct(): Promise<void> {
    if (await this.#waitUntil(() => !this.pausesAgent, AGENT_WAIT_SECONDS)) return;
    const message = "A person is driving this session: wait for its handoff to end";
    throw new ServiceError("agent_paused", message, { shouldRetry: false });
  }

  async expire(): Promise<void> {
    const due = this.pending.filter(({ expires_at }) => Date.parse(expires_at) <= Date.now());
    for (const { handoff_id } of due) this.finish(handoff_id, "expired");
    await this.#schedule();
  }

  endAll(): void {
    for (const { handoff_id } of this.pending) this.finish(handoff_id, "withdrawn");
    if (this.#handoffs.length > 0) this.#scope.state.storage.writeHandoffs([]);
  }

  async #request({ expires_in_seconds, ...body }: CreateHandoff): Promise<Handoff> {
    if (this.pending.length >= MAX_PENDING) {
      const message = `At most ${MAX_PENDING} handoffs of a session can be pending`;
      throw new ServiceError("too_many_requests", message, { shouldRetry: false });
    }
    const now = Date.now();
    const created_at = new Date(now).toISOString();
    const expires_at = new Date(now + expires_in_seconds * 1000).toISOString();
    const state = { status: "pending" as const, note: null, created_at, expires_at, completed_at: null };
    const handoff = { handoff_id: newIdentifier(), ...body, ...state };
    const oldest = this.#handoffs.find(({ status }) => status !== "pending");
    const kept = this.#handoffs.filter((each) => this.#handoffs.length < MAX_KEPT || each !== oldest);
    this.#handoffs = [...kept, handoff];
    this.#announce("handoff.requested", handoff);
    await this.#schedule();
    return handoff;
  }

  async #waitUntil(isOver: () => boolean, seconds: number): Promise<boolean> {
    if (isOver()) return true;
    const over = Promise.withResolvers<void>();
    const check = () => {
      if (isOver()) over.resolve();
    };
    this.#waits.add(check);
    await resolveWithin(over.promise, seconds * 1000);
    this.#waits.delete(check);
    return isOver();
  }

  #announce(type: "handoff.requested" | "handoff.completed", handoff: Handoff): void {
    const { state } = this.#scope;
    state.storage.writeHandoffs(this.#handoffs);
    const { id, organizationId } = state.requireLiving();
    emitEvent(state, organizationId, type, { session_id: id, ...handoff });
    this.#onChange();
    for (const check of this.#waits) check();
  }

  async #schedule(): Promise<void> {
    const times = this.pending.map(({ expires_at }) => Date.parse(expires_at));
    if (times.length > 0) await this.#scope.state.deadlines.set({ handoff: Math.min(...times) });
  }
}
