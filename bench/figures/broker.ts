import { table } from "../../scripts/docs/api-pages.ts";
import { SimulatedAccount } from "../broker/platform.ts";
import { type Outcome, simulate } from "../broker/simulate.ts";
import { simulateStandby } from "../broker/standby.ts";
import {
  type Arrival,
  BURST_AT_MS,
  BURST_LASTS_MS,
  GREEDY,
  makeDay,
  randomNumbers,
} from "../broker/traffic.ts";
import { Samples } from "../samples.ts";

const SEED = 20_261_126;
const HOUR_MS = 3_600_000;

const DAY = { sessionsPerHour: 10_000, organizations: 50 };

/** Simulates a day of the broker, and one of first come, first served. @returns a Markdown table. */
export function simulateBroker(): string {
  const arrivals = makeDay(DAY, randomNumbers(SEED));
  const figures = [true, false].map((isFair) =>
    describe(simulate(arrivals, newAccounts(), isFair, randomNumbers(SEED)), arrivals),
  );
  const [broker = {}, other = {}] = figures;
  const rows = Object.entries(broker).map(([name, value]) => [name, value, other[name] ?? ""]);
  const title = `${arrivals.length} sessions in 24 hours, ${DAY.organizations} organizations, 3 accounts (200 + 200 + 120 browsers, 3 + 3 + 1 launches per second), 1 % of launches fail, one account is out for half an hour`;
  return `${title}\n\n${table(["figure", "broker", "first come, first served"], rows)}\n\n${simulateStandby()}`;
}

/** Accounts keep the state of a simulation. */
function newAccounts(): SimulatedAccount[] {
  const usual = { launchMs: 700, failureShare: 0.01 };
  const outage = { from: 9 * HOUR_MS, to: 9.5 * HOUR_MS };
  return [
    new SimulatedAccount({ ...usual, name: "first", maxBrowsers: 200, launchesPerSecond: 3 }),
    new SimulatedAccount({ ...usual, name: "second", maxBrowsers: 200, launchesPerSecond: 3, outage }),
    new SimulatedAccount({ ...usual, name: "slow", maxBrowsers: 120, launchesPerSecond: 1, launchMs: 5000 }),
  ];
}

function describe(
  { outcomes, launchFailures, refusedByPlatform, slotsLost }: ReturnType<typeof simulate>,
  arrivals: readonly Arrival[],
): Record<string, string> {
  const inBurst = (at: number) => at >= BURST_AT_MS && at < BURST_AT_MS + BURST_LASTS_MS;
  const burst = outcomes.filter(({ arrival }) => inBurst(arrival.at));
  const modest = burst.filter(({ arrival }) => arrival.organizationId !== GREEDY);
  return {
    "wait of all: p50 / p90 / p99 / max": waits(outcomes),
    "wait of the others during the greedy burst": waits(modest),
    "others refused during the greedy burst": share(modest),
    "refused in all": share(outcomes),
    "Jain index of the shares during the burst": jain(burst).toFixed(3),
    "failed after all accounts were tried": String(outcomes.filter(({ failed }) => failed).length),
    "launches that failed / were refused by the platform": `${launchFailures} / ${refusedByPlatform}`,
    "requests without an outcome": String(arrivals.length - outcomes.length),
    "slots lost": String(slotsLost),
  };
}

function waits(outcomes: readonly Outcome[]): string {
  const waited = new Samples(outcomes.flatMap(({ waitedMs }) => waitedMs ?? []));
  return [0.5, 0.9, 0.99, 1].map((p) => `${(waited.percentile(p) / 1000).toFixed(1)} s`).join(" / ");
}

function share(outcomes: readonly Outcome[]): string {
  const refused = outcomes.filter(({ waitedMs, failed }) => waitedMs === undefined && !failed).length;
  return `${refused} of ${outcomes.length} (${((100 * refused) / outcomes.length).toFixed(1)} %)`;
}

/** Jain's index of what each organization got, relative to an equal share among those that want slots. */
function jain(outcomes: readonly Outcome[]): number {
  const organizations = Map.groupBy(outcomes, ({ arrival }) => arrival.organizationId);
  const wanted = [...organizations.values()].map((all) => ({
    demand: all.length,
    served: all.filter(({ waitedMs }) => waitedMs !== undefined).length,
  }));
  wanted.sort((first, second) => first.demand - second.demand);
  let left = wanted.reduce((sum, { served }) => sum + served, 0);
  const shares = wanted.map(({ demand, served }, index) => {
    const fair = Math.min(demand, left / (wanted.length - index));
    left -= fair;
    return served / fair;
  });
  const sum = shares.reduce((total, x) => total + x, 0);
  const squares = shares.reduce((total, x) => total + x * x, 0);
  return (sum * sum) / (shares.length * squares);
}
