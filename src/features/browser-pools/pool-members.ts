import type { EndReason } from "../sessions/index.ts";

/** `leasing`: being prepared for a caller; `releasing`: being prepared for the next lease. */
export type MemberState = "launching" | "idle" | "leasing" | "leased" | "releasing" | "ending";

export interface Member {
  sessionId: string;
  state: MemberState;
  lease: number;
  /** Increases with every change of state. */
  turn: number;
  /** Set while launching: ends once it has started. */
  isUnwanted?: boolean;
  reason?: EndReason;
}

const PREFIX = "member:";
const COUNTER_KEY = "counter";

export class PoolMembers {
  readonly #kv: SyncKvStorage;
  readonly #members = new Map<string, Member>();
  #counter: number;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#counter = kv.get<number>(COUNTER_KEY) ?? 0;
    for (const [, member] of kv.list<Member>({ prefix: PREFIX })) this.#members.set(member.sessionId, member);
  }

  get size(): number {
    return this.#members.size;
  }

  get(sessionId: string): Member | undefined {
    return this.#members.get(sessionId);
  }

  all(): Member[] {
    return [...this.#members.values()];
  }

  get leaving(): number {
    return this.all().filter(({ state, isUnwanted }) => state === "ending" || isUnwanted).length;
  }

  /** Ordered by the time of their last change of state. */
  inState(...states: MemberState[]): Member[] {
    return this.all()
      .filter(({ state }) => states.includes(state))
      .sort((first, second) => first.turn - second.turn);
  }

  add(sessionId: string): void {
    this.#write({ sessionId, state: "launching", lease: 0, turn: this.#nextTurn() });
  }

  move(sessionId: string, state: MemberState, reason?: EndReason): Member | undefined {
    const member = this.#members.get(sessionId);
    return member && this.#write({ ...member, state, reason, isUnwanted: undefined, turn: this.#nextTurn() });
  }

  /** Begins a lease of the browser that has been idle longest. Lease numbers are never reused. */
  lease(): Member | undefined {
    const [longest] = this.inState("idle");
    if (longest === undefined) return undefined;
    const turn = this.#nextTurn();
    return this.#write({ ...longest, state: "leasing", lease: turn, turn });
  }

  markUnwanted(sessionId: string): void {
    const member = this.#members.get(sessionId);
    if (member !== undefined) this.#write({ ...member, isUnwanted: true });
  }

  remove(sessionId: string): void {
    this.#members.delete(sessionId);
    this.#kv.delete(`${PREFIX}${sessionId}`);
  }

  #write(member: Member): Member {
    this.#members.set(member.sessionId, member);
    this.#kv.put(`${PREFIX}${member.sessionId}`, member);
    return member;
  }

  #nextTurn(): number {
    this.#counter += 1;
    this.#kv.put(COUNTER_KEY, this.#counter);
    return this.#counter;
  }
}
