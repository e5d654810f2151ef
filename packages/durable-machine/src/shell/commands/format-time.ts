const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const DAY = 24 * 60 * 60 * 1000;

function zeros(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}

function blanks(value: number): string {
  return String(value).padStart(2);
}

/** What each letter behind a `%` stands for; those made of others are formats themselves. */
const FIELDS: Record<string, string | ((date: Date) => string)> = {
  "%": () => "%",
  A: (date) => WEEKDAYS[date.getUTCDay()] ?? "",
  a: (date) => (WEEKDAYS[date.getUTCDay()] ?? "").slice(0, 3),
  B: (date) => MONTHS[date.getUTCMonth()] ?? "",
  b: (date) => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
  h: "%b",
  C: (date) => zeros(Math.floor(date.getUTCFullYear() / 100)),
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  d: (date) => zeros(date.getUTCDate()),
  e: (date) => blanks(date.getUTCDate()),
  F: "%Y-%m-%d",
  H: (date) => zeros(date.getUTCHours()),
  I: (date) => zeros(date.getUTCHours() % 12 || 12),
  j: (date) => zeros(Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY) + 1, 3),
  k: (date) => blanks(date.getUTCHours()),
  l: (date) => blanks(date.getUTCHours() % 12 || 12),
  M: (date) => zeros(date.getUTCMinutes()),
  m: (date) => zeros(date.getUTCMonth() + 1),
  N: (date) => zeros(date.getUTCMilliseconds(), 3).padEnd(9, "0"),
  n: () => "\n",
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  R: "%H:%M",
  r: "%I:%M:%S %p",
  S: (date) => zeros(date.getUTCSeconds()),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  T: "%H:%M:%S",
  t: () => "\t",
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  X: "%H:%M:%S",
  x: "%m/%d/%y",
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => zeros(date.getUTCFullYear() % 100),
  Z: () => "UTC",
  z: () => "+0000",
};

/** A time as strftime(3) writes it, in UTC. @param milliseconds since the epoch. */
export function formatTime(milliseconds: number, format: string): string {
  const date = new Date(milliseconds);
  return format.replace(/%(.)/gs, (whole, letter: string) => {
    const field = FIELDS[letter];
    if (field === undefined) return whole;
    return typeof field === "string" ? formatTime(milliseconds, field) : field(date);
  });
}
