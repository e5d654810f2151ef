const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: Record<string, number> = {
  sec: 1000,
  second: 1000,
  min: MINUTE,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  fortnight: 14 * DAY,
};

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

interface Moment {
  /** Years, months, days and so on as Date.UTC takes them. */
  year: number;
  month: number;
  day: number;
  /** Milliseconds of the day; undefined: it has not been said. */
  time: number | undefined;
  zoneOffset: number;
  months: number;
  milliseconds: number;
  hasDate: boolean;
  isRelative: boolean;
}

type Rule = [pattern: RegExp, apply: (moment: Moment, match: string[]) => boolean];

function setDate(moment: Moment, year: number, month: number, day: number): boolean {
  if (month < 0 || month > 11 || day < 1 || day > new Date(Date.UTC(year, month + 1, 0)).getUTCDate())
    return false;
  Object.assign(moment, { year, month, day, hasDate: true });
  return true;
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3));
}

function setTime(moment: Moment, [, hours = "", minutes = "0", seconds = "0", half = ""]: string[]): boolean {
  const hour = half === "" ? Number(hours) : (Number(hours) % 12) + (half.startsWith("p") ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 60) return false;
  moment.time = hour * HOUR + Number(minutes) * MINUTE + Math.floor(Number(seconds) * 1000);
  return true;
}

function shift(moment: Moment, amount: number, unit: string): boolean {
  moment.isRelative = true;
  const name = unit.replace(/s$/, "");
  if (name === "month") moment.months += amount;
  else if (name === "year") moment.months += 12 * amount;
  else moment.milliseconds += amount * (UNITS[name] ?? 0);
  return true;
}

/** What a text may begin with, and what that says. */
const RULES: readonly Rule[] = [
  [
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t(?=\d))?/,
    (moment, [, year, month, day]) => setDate(moment, Number(year), Number(month) - 1, Number(day)),
  ],
  [
    /^(\d{4})(\d{2})(\d{2})(?!\d)/,
    (moment, [, y, m, d]) => setDate(moment, Number(y), Number(m) - 1, Number(d)),
  ],
  [
    /^(\d{1,2})\/(\d{1,2})\/(\d{4})/,
    (moment, [, month, day, year]) => setDate(moment, Number(year), Number(month) - 1, Number(day)),
  ],
  [/^(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?(?: ?([ap])\.?m\.?)?/, setTime],
  [
    /^(\d{1,2})()() ?([ap])\.?m\.?/,
    (moment, [all = "", hour = "", , , half = ""]) => setTime(moment, [all, hour, "0", "0", half]),
  ],
  [/^(?:utc|gmt|z)\b/, () => true],
  [
    /^([-+])(\d{2}):?(\d{2})\b/,
    (moment, [, sign, hours, minutes]) => {
      if (moment.time === undefined) return false;
      moment.zoneOffset = (sign === "-" ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
      return true;
    },
  ],
  [
    /^(\d{1,2})[ -](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[ -](\d{4})\b)?/,
    (moment, [, day, month = "", year]) =>
      setDate(moment, Number(year ?? moment.year), monthOf(month), Number(day)),
  ],
  [
    /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?![\d:])(?:,? (\d{4})\b)?/,
    (moment, [, month = "", day, year]) =>
      setDate(moment, Number(year ?? moment.year), monthOf(month), Number(day)),
  ],
  [
    /^(\d{4})\b(?!:)/,
    (moment, [, year]) => moment.hasDate && setDate(moment, Number(year), moment.month, moment.day),
  ],
  [/^(?:now|today)\b/, (moment) => shift(moment, 0, "day")],
  [/^yesterday\b/, (moment) => shift(moment, -1, "day")],
  [/^tomorrow\b/, (moment) => shift(moment, 1, "day")],
  [
    /^([-+]?) ?(\d*) ?(sec|second|min|minute|hour|day|week|fortnight|month|year)s?( ago)?\b/,
    (moment, [, sign, count, unit = "", ago]) => {
      const amount = (count === "" ? 1 : Number(count)) * (sign === "-" ? -1 : 1);
      return shift(moment, ago ? -amount : amount, unit);
    },
  ],
  [
    /^(next|last) (sec|second|min|minute|hour|day|week|fortnight|month|year)\b/,
    (moment, [, direction, unit = ""]) => shift(moment, direction === "next" ? 1 : -1, unit),
  ],
  [
    /^(next |last )?(sun|mon|tue|wed|thu|fri|sat)[a-z]*,?/,
    (moment, [, direction = "", weekday = ""]) => {
      // Beside a date it says nothing new.
      if (moment.hasDate || direction === "") return true;
      const today = new Date(Date.UTC(moment.year, moment.month, moment.day)).getUTCDay();
      const ahead = (WEEKDAYS.indexOf(weekday) - today + 7) % 7;
      moment.milliseconds += (direction === "next " ? ahead || 7 : ahead - 7) * DAY;
      moment.time ??= 0;
      return true;
    },
  ],
];

function apply(moment: Moment, text: string): string | undefined {
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(text);
    if (match && match[0] !== "" && rule(moment, match)) return text.slice(match[0].length).trimStart();
  }
  return undefined;
}

/**
 * Reads a date as `date -d` and `touch -d` take it: ISO, RFC 2822, `@seconds`, `yesterday`, `3 days ago`, … Without a
 * zone it is UTC.
 *
 * @param now what relative dates go from, in milliseconds since the epoch.
 * @returns milliseconds since the epoch; undefined: it is no date.
 */
export function parseDate(text: string, now: number): number | undefined {
  const [, seconds] = /^\s*@(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (seconds !== undefined) return Math.floor(Number(seconds) * 1000);
  const today = new Date(now);
  const moment: Moment = {
    year: today.getUTCFullYear(),
    month: today.getUTCMonth(),
    day: today.getUTCDate(),
    time: undefined,
    zoneOffset: 0,
    months: 0,
    milliseconds: 0,
    hasDate: false,
    isRelative: false,
  };
  let rest: string | undefined = text.trim().toLowerCase().replace(/\s+/g, " ");
  while (rest !== undefined && rest !== "") rest = apply(moment, rest);
  if (rest === undefined) return undefined;
  // A date, or nothing at all, begins at midnight; what is relative goes from this moment.
  const time = moment.time ?? (moment.isRelative && !moment.hasDate ? now % DAY : 0);
  const start = Date.UTC(moment.year, moment.month + moment.months, moment.day);
  return start + time - moment.zoneOffset + moment.milliseconds;
}

/** Reads `[[CC]YY]MMDDhhmm[.ss]`, the form of `touch -t`. */
export function parseStamp(text: string, now: number): number | undefined {
  const [, century, year, month, day, hour, minute, second = "00"] =
    /^(\d{2})??(\d{2})?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(text) ?? [];
  if (month === undefined) return undefined;
  const guessedCentury = Number(year) < 69 ? 20 : 19;
  const fullYear =
    year === undefined
      ? new Date(now).getUTCFullYear()
      : Number(century ?? guessedCentury) * 100 + Number(year);
  const date = `${String(fullYear).padStart(4, "0")}-${month}-${day} ${hour}:${minute}:${second}`;
  return parseDate(date, now);
}
