import type { AccountLimits } from "../../src/platform/broker/account.ts";

interface AccountOptions {
  name: string;
  maxBrowsers: number;
  launchesPerSecond: number;
  launchMs: number;
  failureShare: number;
  /** All launches fail in this time. */
  outage?: { from: number; to: number };
}

const CLOSE_MS = 1500;

/** One account of a simulated platform. Times are milliseconds. */
export class SimulatedAccount {
  readonly options: AccountOptions;
  #running = 0;
  #launches: number[] = [];

  constructor(options: AccountOptions) {
    this.options = options;
  }

  get running(): number {
    return this.#running;
  }

  /** @param own the broker's browsers in this account. */
  limits(now: number, own: number): AccountLimits {
    const allowedLaunches = this.#allowed(now);
    const [oldest = 0] = this.#launches;
    const nextLaunchInMs = allowedLaunches > 0 ? 0 : oldest + 1000 - now;
    const { maxBrowsers } = this.options;
    return { maxBrowsers, foreign: Math.max(0, this.#running - own), allowedLaunches, nextLaunchInMs };
  }

  /** @returns how the launch ends, after `launchMs` or at once. */
  launch(now: number, random: () => number): "launched" | "failed" | "refused" {
    const { maxBrowsers, failureShare, outage } = this.options;
    if (this.#allowed(now) <= 0 || this.#running >= maxBrowsers) return "refused";
    this.#launches.push(now);
    const isOut = outage !== undefined && now >= outage.from && now < outage.to;
    if (isOut || random() < failureShare) return "failed";
    this.#running += 1;
    return "launched";
  }

  /** How long closing takes. */
  get closeMs(): number {
    return CLOSE_MS;
  }

  closed(): void {
    this.#running -= 1;
  }

  #allowed(now: number): number {
    this.#launches = this.#launches.filter((at) => at > now - 1000);
    return this.options.launchesPerSecond - this.#launches.length;
  }
}
