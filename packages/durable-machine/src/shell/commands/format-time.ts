const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const FULL_TIME = "%Y-%m-%d %H:%M:%S.%N %z";

const COMBINED: Record<string, string> = { D: "%m/%d/%y", F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S" };

/** Formats a time in UTC as strftime(3) does. @param milliseconds since the epoch. */
export function formatTime(milliseconds: number, format: string): string {
  const date = new Date(milliseconds);
  const [weekday = "", day = "", month = "", year = "", hour = "", minute = "", second = ""] = date
    .toUTCString()
    .split(/\W+/);
  const fields: Record<string, string> = {
    "%": "%",
    a: weekday,
    b: month,
    d: day,
    e: String(Number(day)).padStart(2),
    H: hour,
    M: minute,
    m: String(MONTHS.indexOf(month) + 1).padStart(2, "0"),
    N: String(date.getUTCMilliseconds()).padStart(3, "0").padEnd(9, "0"),
    S: second,
    s: String(Math.floor(milliseconds / 1000)),
    Y: year,
    y: year.slice(-2),
    Z: "UTC",
    z: "+0000",
  };
  const simple = format.replace(/%(.)/gs, (whole, letter: string) => COMBINED[letter] ?? whole);
  return simple.replace(/%(.)/gs, (whole, letter: string) => fields[letter] ?? whole);
}
