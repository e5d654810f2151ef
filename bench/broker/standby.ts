import { table } from "../../scripts/docs/api-pages.ts";
import { type Arrivals, addArrival, wantedStandby } from "../../src/platform/broker/standby-policy.ts";
import { EventQueue } from "./event-queue.ts";
import { type Arrival, makeDay, randomNumbers } from "./traffic.ts";

const SEED = 20_261_126;
const LAUNCH_MS = 3000;
const DAY_MS = 24 * 3_600_000;
const CHECK_INTERVAL_MS = 10_000;
const AUTO = { idleMs: 600_000, minimum: 0 };

const DAYS = [10, 100, 1000, 10_000].flatMap((sessionsPerHour) =>
  [0, 0.02].map((batchShare) => ({ sessionsPerHour, batchShare, burst: 0, organizations: 50 })),
);
const COUNTS = [0, 1, 5, 20, "auto"] as const;

/**
 * Runs the policy of standby browsers through days with a virtual clock.
 *
 * @returns a Markdown table: the share of creates that find a browser ready, and the time that browsers wait
 * for nothing, as a share of the time that sessions use.
 */
export function simulateStandby(): string {
  const rows = DAYS.map((day) => {
    const arrivals = makeDay(day, randomNumbers(SEED));
    const cells = COUNTS.map((count) => cellOf(runDay(arrivals, count)));
    return [`${day.sessionsPerHour}, ${day.batchShare > 0 ? "some in batches" : "one at a time"}`, ...cells];
  });
  const title = `Warm creates, and waiting browsers as a share of used browser time; a launch takes ${LAUNCH_MS / 1000} s`;
  return `${title}\n\n${table(["sessions per hour", ...COUNTS.map(String)], rows)}`;
}

interface Waiting {
  /** Shares. */
  warm: number;
  idle: number;
}

function runDay(day: readonly Arrival[], count: (typeof COUNTS)[number]): Waiting {
  const events = new EventQueue();
  let arrivals: Arrivals = { perMs: 0, at: 0 };
  let [ready, launching, warm, waitedMs, since] = [0, 0, 0, 0, 0];
  const setReady = (number: number) => {
    waitedMs += ready * (events.now - since);
    since = events.now;
    ready = number;
  };
  const keep = () => {
    const situation = { arrivals, launchMs: LAUNCH_MS, maxBrowsers: 10_000, now: events.now };
    const wanted = wantedStandby({ ...AUTO, count }, situation);
    if (ready > wanted) setReady(wanted);
    for (; ready + launching < wanted; launching += 1) {
      events.add(events.now + LAUNCH_MS, () => {
        launching -= 1;
        setReady(ready + 1);
        keep();
      });
    }
  };
  for (const { at } of day) {
    events.add(at, () => {
      arrivals = addArrival(arrivals, at);
      if (ready > 0) warm += 1;
      setReady(Math.max(0, ready - 1));
      keep();
    });
  }
  for (let at = 0; at < DAY_MS; at += CHECK_INTERVAL_MS) events.add(at, keep);
  events.runAll();
  return { warm: warm / day.length, idle: waitedMs / day.reduce((sum, { useMs }) => sum + useMs, 0) };
}

function cellOf({ warm, idle }: Waiting): string {
  return `${(100 * warm).toFixed(1)} %, ${(100 * idle).toFixed(idle < 0.1 ? 1 : 0)} %`;
}
