import type { EndReason } from "../sessions/index.ts";

/** `leasing`: being prepared for a caller; `releasing`: being prepared for the next lease. */
export type PoolBrowserState = "launching" | "idle" | "leasing" | "leased" | "releasing" | "ending";

export interface PoolBrowser {
  sessionId: string;
  state: PoolBrowserState;
  lease: number;
  /** Increases with every change of state. */
  turn: number;
  /** Set while launching: ends once it has started. */
  isUnwanted?: boolean;
  reason?: EndReason;
}

const PREFIX = "member:";
const COUNTER_KEY = "counter";

export class PoolBrowsers {
  readonly #kv: SyncKvStorage;
  readonly #browsers = new Map<string, PoolBrowser>();
  #counter: number;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#counter = kv.get<number>(COUNTER_KEY) ?? 0;
    for (const [, browser] of kv.list<PoolBrowser>({ prefix: PREFIX }))
      this.#browsers.set(browser.sessionId, browser);
  }

  get size(): number {
    return this.#browsers.size;
  }

  get(sessionId: string): PoolBrowser | undefined {
    return this.#browsers.get(sessionId);
  }

  all(): PoolBrowser[] {
    return [...this.#browsers.values()];
  }

  get leaving(): number {
    return this.all().filter(({ state, isUnwanted }) => state === "ending" || isUnwanted).length;
  }

  /** Ordered by the time of their last change of state. */
  inState(...states: PoolBrowserState[]): PoolBrowser[] {
    return this.all()
      .filter(({ state }) => states.includes(state))
      .sort((first, second) => first.turn - second.turn);
  }

  add(sessionId: string): void {
    this.#write({ sessionId, state: "launching", lease: 0, turn: this.#nextTurn() });
  }

  move(sessionId: string, state: PoolBrowserState, reason?: EndReason): PoolBrowser | undefined {
    const browser = this.#browsers.get(sessionId);
    return (
      browser && this.#write({ ...browser, state, reason, isUnwanted: undefined, turn: this.#nextTurn() })
    );
  }

  /** Begins a lease of the browser that has been idle longest. Lease numbers are never reused. */
  lease(): PoolBrowser | undefined {
    const [longest] = this.inState("idle");
    if (longest === undefined) return undefined;
    const turn = this.#nextTurn();
    return this.#write({ ...longest, state: "leasing", lease: turn, turn });
  }

  markUnwanted(sessionId: string): void {
    const browser = this.#browsers.get(sessionId);
    if (browser !== undefined) this.#write({ ...browser, isUnwanted: true });
  }

  remove(sessionId: string): void {
    this.#browsers.delete(sessionId);
    this.#kv.delete(`${PREFIX}${sessionId}`);
  }

  #write(browser: PoolBrowser): PoolBrowser {
    this.#browsers.set(browser.sessionId, browser);
    this.#kv.put(`${PREFIX}${browser.sessionId}`, browser);
    return browser;
  }

  #nextTurn(): number {
    this.#counter += 1;
    this.#kv.put(COUNTER_KEY, this.#counter);
    return this.#counter;
  }
}
