import {
  type AccountState,
  type AccountUse,
  afterFailure,
  afterLaunch,
  afterLaunchBegan,
  afterRefusal,
  chooseAccount,
  estimateLaunchAt,
  newAccount,
  nextLaunchAt,
  readDueAt,
  withLimits,
} from "../../src/broker/account-policy.ts";
import type { QueuedLaunch } from "../../src/broker/launch-queue.ts";
import { EventQueue } from "./event-queue.ts";
import type { SimulatedAccount } from "./platform.ts";
import type { Arrival } from "./traffic.ts";

/** The default of LAUNCH_WAIT_SECONDS. */
const LAUNCH_WAIT_MS = 20_000;

const READ_MS = 30;

export interface SimulatedLaunch extends QueuedLaunch {
  arrival: Arrival;
  tried: Set<string>;
}

/** `LaunchQueue`, or another order to compare it with. */
export interface Order {
  readonly size: number;
  add(launch: SimulatedLaunch): void;
  first(): SimulatedLaunch | undefined;
  take(): SimulatedLaunch | undefined;
  putBack(launch: SimulatedLaunch): void;
  takeHopeless(nextAt: number): SimulatedLaunch[];
  ahead(launch: SimulatedLaunch): number;
  readonly nextDeadline: number;
}

export interface Outcome {
  arrival: Arrival;
  /** Milliseconds until its launch began; undefined: it was refused or failed. */
  waitedMs: number | undefined;
  failed: boolean;
}

export interface Simulated {
  outcomes: Outcome[];
  launchFailures: number;
  refusedByPlatform: number;
  /** Slots that the broker counts as used after all browsers are gone. */
  slotsLost: number;
}

/** Runs the broker's own queue and account policy through a day, with a virtual clock. */
export function simulate(
  arrivals: readonly Arrival[],
  accounts: readonly SimulatedAccount[],
  order: Order,
  random: () => number,
): Simulated {
  return new Simulation(accounts, order, random).run(arrivals);
}

class Simulation {
  readonly #accounts: readonly SimulatedAccount[];
  readonly #order: Order;
  readonly #random: () => number;
  readonly #events = new EventQueue();
  readonly #states = new Map<string, AccountState>();
  readonly #own = new Map<string, number>();
  readonly #reading = new Set<string>();
  readonly #result: Simulated = { outcomes: [], launchFailures: 0, refusedByPlatform: 0, slotsLost: 0 };
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(accounts: readonly SimulatedAccount[], order: Order, random: () => number) {
    this.#accounts = accounts;
    this.#order = order;
    this.#random = random;
  }

  run(arrivals: readonly Arrival[]): Simulated {
    for (const arrival of arrivals) this.#events.add(arrival.at, () => this.#arrive(arrival));
    this.#events.runAll();
    this.#result.slotsLost = [...this.#own.values()].reduce((sum, own) => sum + own, 0);
    return this.#result;
  }

  #arrive(arrival: Arrival): void {
    const { now } = this.#events;
    const { id, organizationId } = arrival;
    const deadline = now + LAUNCH_WAIT_MS;
    const launch = {
      id,
      organizationId,
      weight: 1,
      kind: "session" as const,
      deadline,
      arrival,
      tried: new Set<string>(),
    };
    const isHopeless = estimateLaunchAt(this.#use(), this.#order.ahead(launch), now) > deadline;
    if (isHopeless) this.#end(launch);
    else this.#order.add(launch);
    this.#dispatch();
  }

  #dispatch(): void {
    const { now } = this.#events;
    for (let next = this.#order.first(); next !== undefined; next = this.#order.first()) {
      const account = chooseAccount(this.#use(), next.tried, now);
      if (account === undefined) break;
      this.#order.take();
      this.#states.set(account.name, afterLaunchBegan(account));
      this.#launch(next, account.name);
    }
    for (const launch of this.#order.takeHopeless(nextLaunchAt(this.#use(), now))) this.#end(launch);
    if (this.#order.size === 0) return;
    for (const { state } of this.#use()) if (readDueAt(state) <= now) this.#read(state);
    this.#wake(now);
  }

  #launch(launch: SimulatedLaunch, name: string): void {
    const account = this.#account(name);
    const began = this.#events.now;
    this.#count(name, 1);
    const outcome = account.launch(began, this.#random);
    this.#events.add(began + (outcome === "refused" ? READ_MS : account.options.launchMs), () => {
      const { now } = this.#events;
      if (outcome === "launched") {
        this.#change(name, afterLaunch);
        this.#end(launch, began - launch.arrival.at);
        this.#events.add(now + launch.arrival.useMs + account.closeMs, () => {
          account.closed();
          this.#count(name, -1);
          this.#dispatch();
        });
        return this.#dispatch();
      }
      this.#count(name, -1);
      if (outcome === "refused") {
        this.#result.refusedByPlatform += 1;
        this.#change(name, (state) => afterRefusal(state, 1000, now));
      } else {
        this.#result.launchFailures += 1;
        this.#change(name, (state) => afterFailure(state, now));
        launch.tried.add(name);
      }
      if (launch.tried.size === this.#accounts.length) this.#end(launch, undefined, true);
      else this.#order.putBack(launch);
      this.#dispatch();
    });
  }

  #read({ name, launches }: AccountState): void {
    if (this.#reading.has(name)) return;
    this.#reading.add(name);
    this.#events.add(this.#events.now + READ_MS, () => {
      const { now } = this.#events;
      this.#reading.delete(name);
      const limits = this.#account(name).limits(now, this.#own.get(name) ?? 0);
      this.#change(name, (state) => withLimits(state, limits, now, state.launches - launches));
      this.#dispatch();
    });
  }

  #wake(now: number): void {
    const use = this.#use();
    const reads = use
      .filter(({ state }) => !this.#reading.has(state.name))
      .map(({ state }) => readDueAt(state));
    const times = [this.#order.nextDeadline, nextLaunchAt(use, now), ...reads].filter((at) => at > now);
    const at = Math.min(...times);
    // An earlier event dispatches, too.
    if (this.#wakeAt > now && this.#wakeAt <= at) return;
    this.#wakeAt = at;
    this.#events.add(at, () => this.#dispatch());
  }

  #end({ arrival }: SimulatedLaunch, waitedMs?: number, failed = false): void {
    this.#result.outcomes.push({ arrival, waitedMs, failed });
  }

  #use(): AccountUse[] {
    return this.#accounts.map(({ options: { name } }) => ({
      state: this.#states.get(name) ?? newAccount(name),
      own: this.#own.get(name) ?? 0,
    }));
  }

  #account(name: string): SimulatedAccount {
    const account = this.#accounts.find(({ options }) => options.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}`);
    return account;
  }

  #count(name: string, change: number): void {
    this.#own.set(name, (this.#own.get(name) ?? 0) + change);
  }

  #change(name: string, change: (state: AccountState) => AccountState): void {
    this.#states.set(name, change(this.#states.get(name) ?? newAccount(name)));
  }
}
