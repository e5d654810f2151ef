import type { Account } from "../../src/platform/broker/account.ts";
import { LaunchSchedule, type ScheduledLaunch } from "../../src/platform/broker/launch-schedule.ts";
import { EventQueue } from "./event-queue.ts";
import type { SimulatedAccount } from "./platform.ts";
import type { Arrival } from "./traffic.ts";

/** The default of LAUNCH_WAIT_SECONDS. */
const LAUNCH_WAIT_MS = 20_000;

const READ_MS = 30;

interface SimulatedLaunch extends ScheduledLaunch {
  arrival: Arrival;
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

/** Runs the broker's own schedule through a virtual day. @param isFair false: first come, first served. */
export function simulate(
  arrivals: readonly Arrival[],
  accounts: readonly SimulatedAccount[],
  isFair: boolean,
  random: () => number,
): Simulated {
  return new Simulation(accounts, isFair, random).run(arrivals);
}

class Simulation {
  readonly #accounts: readonly SimulatedAccount[];
  readonly #isFair: boolean;
  readonly #random: () => number;
  readonly #events = new EventQueue();
  readonly #schedule = new LaunchSchedule<SimulatedLaunch>();
  /** The broker's browsers by the name of their account. */
  readonly #own: Map<string, number>;
  readonly #result: Simulated = { outcomes: [], launchFailures: 0, refusedByPlatform: 0, slotsLost: 0 };
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(accounts: readonly SimulatedAccount[], isFair: boolean, random: () => number) {
    this.#accounts = accounts;
    this.#isFair = isFair;
    this.#random = random;
    this.#own = new Map(accounts.map(({ options: { name } }) => [name, 0]));
  }

  run(arrivals: readonly Arrival[]): Simulated {
    for (const arrival of arrivals.toReversed()) this.#events.add(arrival.at, () => this.#arrive(arrival));
    this.#events.runAll();
    this.#result.slotsLost = [...this.#own.values()].reduce((sum, own) => sum + own, 0);
    return this.#result;
  }

  #arrive(arrival: Arrival): void {
    const { now } = this.#events;
    const { id } = arrival;
    // Launches of one organization are served in order.
    const organizationId = this.#isFair ? arrival.organizationId : "all";
    const usual = { weight: 1, kind: "session" as const, start: 0, tried: new Set<string>() };
    const launch = { ...usual, id, organizationId, deadline: now + LAUNCH_WAIT_MS, arrival };
    this.#schedule.setAccounts(this.#own);
    if (this.#schedule.estimate(launch, now) > launch.deadline) this.#end(launch);
    else this.#schedule.queue.add(launch);
    this.#dispatch();
  }

  #dispatch(): void {
    const { now } = this.#events;
    const schedule = this.#schedule;
    schedule.setAccounts(this.#own);
    for (let begun = schedule.begin(now); begun !== undefined; begun = schedule.begin(now)) {
      this.#launch(begun.launch, begun.account);
    }
    for (const { launch } of schedule.takeHopeless(now)) this.#end(launch);
    if (schedule.queue.size === 0) return;
    for (const account of schedule.beginReading(now)) this.#read(account);
    const at = schedule.nextChangeAt(now);
    // An earlier event also dispatches.
    if (this.#wakeAt > now && this.#wakeAt <= at) return;
    this.#wakeAt = at;
    this.#events.add(at, () => this.#dispatch());
  }

  #launch(launch: SimulatedLaunch, account: Account): void {
    const simulated = this.#simulated(account);
    const began = this.#events.now;
    const outcome = simulated.launch(began, this.#random);
    this.#events.add(began + (outcome === "refused" ? READ_MS : simulated.options.launchMs), () => {
      const { now } = this.#events;
      if (outcome === "launched") {
        account.launched();
        this.#count(account, 1);
        this.#end(launch, began - launch.arrival.at);
        this.#events.add(now + launch.arrival.useMs + simulated.closeMs, () => {
          simulated.closed();
          this.#count(account, -1);
          this.#dispatch();
        });
        return this.#dispatch();
      }
      if (outcome === "refused") this.#result.refusedByPlatform += 1;
      else this.#result.launchFailures += 1;
      const refusedForMs = outcome === "refused" ? 1000 : undefined;
      if (this.#schedule.mayRetry(launch, account, now, refusedForMs)) this.#schedule.queue.putBack(launch);
      else this.#end(launch, undefined, true);
      this.#dispatch();
    });
  }

  #read(account: Account): void {
    this.#events.add(this.#events.now + READ_MS, () => {
      const { now } = this.#events;
      const own = (this.#own.get(account.name) ?? 0) + account.underWay;
      account.limitsRead(this.#simulated(account).limits(now, own), now);
      this.#dispatch();
    });
  }

  #end({ arrival }: SimulatedLaunch, waitedMs?: number, failed = false): void {
    this.#result.outcomes.push({ arrival, waitedMs, failed });
  }

  #simulated({ name }: Account): SimulatedAccount {
    const account = this.#accounts.find(({ options }) => options.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}`);
    return account;
  }

  #count({ name }: Account, change: number): void {
    this.#own.set(name, (this.#own.get(name) ?? 0) + change);
  }
}
