const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** What each letter behind a `%` stands for. */
function fieldsOf(date: Date): Record<string, string> {
  const two = (value: number, fill = "0") => String(value).padStart(2, fill);
  const hour = date.getUTCHours();
  const weekday = WEEKDAYS[date.getUTCDay()] ?? "";
  const month = MONTHS[date.getUTCMonth()] ?? "";
  const startOfYear = Date.UTC(date.getUTCFullYear(), 0, 1);
  return {
    "%": "%",
    A: weekday,
    a: weekday.slice(0, 3),
    B: month,
    b: month.slice(0, 3),
    d: two(date.getUTCDate()),
    e: two(date.getUTCDate(), " "),
    H: two(hour),
    I: two(hour % 12 || 12),
    j: String(Math.floor((date.getTime() - startOfYear) / 86_400_000) + 1).padStart(3, "0"),
    M: two(date.getUTCMinutes()),
    m: two(date.getUTCMonth() + 1),
    N: String(date.getUTCMilliseconds()).padStart(3, "0").padEnd(9, "0"),
    n: "\n",
    p: hour < 12 ? "AM" : "PM",
    S: two(date.getUTCSeconds()),
    s: String(Math.floor(date.getTime() / 1000)),
    u: String(date.getUTCDay() || 7),
    Y: String(date.getUTCFullYear()),
    y: two(date.getUTCFullYear() % 100),
    Z: "UTC",
    z: "+0000",
  };
}

/** Letters that stand for other formats. */
const COMBINED: Record<string, string> = { D: "%m/%d/%y", F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S" };

/** A time as strftime(3) writes it, in UTC. @param milliseconds since the epoch. */
export function formatTime(milliseconds: number, format: string): string {
  const fields = fieldsOf(new Date(milliseconds));
  const simple = format.replace(/%(.)/gs, (whole, letter: string) => COMBINED[letter] ?? whole);
  return simple.replace(/%(.)/gs, (whole, letter: string) => fields[letter] ?? whole);
}
