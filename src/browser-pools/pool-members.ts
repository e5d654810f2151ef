import type { EndReason } from "../sessions/index.ts";

/**
 * `launching`: its session starts; `idle`: it waits; `leasing`: it is being handed to a caller; `leased`: a caller has
 * it; `releasing`: it is being made ready again; `ending`: its session ends.
 */
export type MemberState = "launching" | "idle" | "leasing" | "leased" | "releasing" | "ending";

/** One browser of a pool. */
export interface Member {
  sessionId: string;
  state: MemberState;
  /** Number of its last lease; 0: it was never leased. */
  lease: number;
  /** Orders them by when they came into their state. */
  turn: number;
  /** While it is launching: it is to end once it has started. */
  isUnwanted?: boolean;
  /** Why it ends. */
  reason?: EndReason;
}

const PREFIX = "member:";
const COUNTER_KEY = "counter";

/** The browsers of one pool, in memory and in its object's storage. */
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

  /** Those that will not stay: they end, or will once they have started. */
  get leaving(): number {
    return this.all().filter(({ state, isUnwanted }) => state === "ending" || isUnwanted).length;
  }

  /** Those in any of these states, the ones that came to theirs first first. */
  inState(...states: MemberState[]): Member[] {
    return this.all()
      .filter(({ state }) => states.includes(state))
      .sort((first, second) => first.turn - second.turn);
  }

  /** Adds one that is being launched. */
  add(sessionId: string): void {
    this.#write({ sessionId, state: "launching", lease: 0, turn: this.#nextTurn() });
  }

  /** Puts one into another state. @returns it as it is from now on; undefined when it is gone. */
  move(sessionId: string, state: MemberState, reason?: EndReason): Member | undefined {
    const member = this.#members.get(sessionId);
    return member && this.#write({ ...member, state, reason, isUnwanted: undefined, turn: this.#nextTurn() });
  }

  /** Begins a lease of the one that has been idle longest; its number is one that none had before. */
  lease(): Member | undefined {
    const [longest] = this.inState("idle");
    if (longest === undefined) return undefined;
    const turn = this.#nextTurn();
    return this.#write({ ...longest, state: "leasing", lease: turn, turn });
  }

  /** Has one that is being launched end once it has started. */
  condemn(sessionId: string): void {
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
