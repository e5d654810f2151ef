const DAY_MS = 86_400_000;
const MONTHS = 12;
const MONTH_NAME = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

const DAYS = new Map([
  ["7d", 7],
  ["30d", 30],
  ["90d", 90],
]);

/** Periods to choose from, the default first, with their names. Days and months are in UTC, as in budgets. */
export function listPeriods(now: number): (readonly [string, string])[] {
  const date = new Date(now);
  const months = Array.from({ length: MONTHS }, (_, ago) => {
    const month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - ago));
    return [month.toISOString().slice(0, 7), MONTH_NAME.format(month)] as const;
  });
  return [...months, ...[...DAYS].map(([period, days]) => [period, `Last ${days} days`] as const)];
}

/** The range of a period for the API, which ends in the future for the present month. */
export function toRange(period: string, now: number): { from: string; to: string } {
  const days = DAYS.get(period);
  if (days !== undefined) {
    return { from: new Date(now - days * DAY_MS).toISOString(), to: new Date(now).toISOString() };
  }
  const [year = 0, month = 0] = period.split("-").map(Number);
  return { from: `${period}-01`, to: new Date(Date.UTC(year, month)).toISOString() };
}

/** Values of each day of a range. A day that has none counts as 0. */
export function fillDays(from: string, to: string, values: ReadonlyMap<string, number>) {
  const bars: { label: string; value: number }[] = [];
  const first = Date.parse(from);
  for (let day = first - (first % DAY_MS); day < Date.parse(to); day += DAY_MS) {
    const time = new Date(day).toISOString();
    bars.push({ label: time.slice(0, 10), value: values.get(time) ?? 0 });
  }
  return bars;
}
