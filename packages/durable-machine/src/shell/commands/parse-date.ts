const DAY_MS = 24 * 60 * 60 * 1000;

const MONTH_NAMES = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const UNITS_MS: Record<string, number> = { sec: 1e3, min: 6e4, hour: 3.6e6, day: DAY_MS, week: 7 * DAY_MS };
const UNITS_MONTHS: Record<string, number> = { month: 1, year: 12 };

const RELATIVE =
  /(?<![-\d])([-+]?) ?(\d*) ?(?:\b(next|last) )?(?<![a-z])(sec|min|hour|day|week|month|year)(?:ond|ute)?s?\b( ago)?/g;
const WEEKDAY = new RegExp(`(?:\\b(next|last) )?\\b(${WEEKDAYS.join("|")})[a-z]*\\b,?`);
const DATE = new RegExp(`\\d{4}|/|${MONTH_NAMES}`);
const KNOWN_WORD = new RegExp(`\\b(?:${MONTH_NAMES}|utc|gmt|z|am|pm)\\b`, "g");
const ZONE = /\b(?:utc|gmt)\b|z$|:\d\d(?:\.\d+)? ?[-+]\d\d:?\d\d/;

function parseAbsolute(text: string, now: number): number {
  const today = new Date(now).toISOString().slice(0, 10);
  const hasYear = /\d{4}/.test(text.replace(ZONE, ""));
  const date = DATE.test(text) ? text + (hasYear ? "" : ` ${today.slice(0, 4)}`) : `${today} ${text}`;
  const normal = date
    .trim()
    .replace(/^(\d{4})(\d\d)(\d\d)\b/, "$1-$2-$3")
    .replace(/(\d)t(?=\d)/, "$1 ")
    .replace(/(\d)z$/, "$1 utc")
    .replace(/(?<![\d:])(\d{1,2}) ?([ap]m)\b/, "$1:00 $2")
    .replace(/(\d)([ap]m)\b/, "$1 $2");
  // The engine ignores unknown words, and reads the 30th of February as the 1st of March.
  if (/[a-z]/.test(normal.replace(WEEKDAY, "").replace(KNOWN_WORD, ""))) return Number.NaN;
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(normal) ?? [];
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return Number.NaN;
  return Date.parse(ZONE.test(normal) ? normal : `${normal} utc`);
}

/** Reads a date such as `2020-01-02 10:00` or `3 days ago`. @returns milliseconds since the epoch. */
export function parseDate(text: string, now: number): number | undefined {
  const [, seconds] = /^\s*@(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (seconds !== undefined) return Math.floor(Number(seconds) * 1000);
  let shift = 0;
  let months = 0;
  let isFromNow = false;
  let rest = text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/\b(?:now|today)\b/g, "0 days")
    .replace("yesterday", "1 day ago")
    .replace("tomorrow", "1 day");
  rest = rest.replace(RELATIVE, (_, sign, count, direction, unit, ago) => {
    const isBack = (sign === "-" || direction === "last") !== (ago !== undefined);
    const amount = (count === "" ? 1 : Number(count)) * (isBack ? -1 : 1);
    shift += amount * (UNITS_MS[unit] ?? 0);
    months += amount * (UNITS_MONTHS[unit] ?? 0);
    isFromNow = true;
    return "";
  });
  if (!DATE.test(rest)) {
    rest = rest.replace(WEEKDAY, (_, direction, weekday) => {
      const ahead = (WEEKDAYS.indexOf(weekday) - new Date(now).getUTCDay() + 7) % 7;
      shift += (direction === "next" ? ahead || 7 : direction === "last" ? ahead - 7 : ahead) * DAY_MS;
      isFromNow = false;
      return "";
    });
  }
  rest = rest.trim();
  // A date, or an empty text, begins at midnight; a relative date counts from this moment.
  const start = isFromNow && rest === "" ? now : parseAbsolute(rest, now);
  const time = new Date(start).setUTCMonth(new Date(start).getUTCMonth() + months) + shift;
  return Number.isNaN(time) ? undefined : time;
}

/** Reads `[[CC]YY]MMDDhhmm[.ss]`, the form of `touch -t`. */
export function parseStamp(text: string, now: number): number | undefined {
  const [, century, year, month, day, hour, minute, second = "00"] =
    /^(\d\d)??(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text) ?? [];
  if (month === undefined) return undefined;
  const usualCentury = year !== undefined && year < "69" ? "20" : "19";
  const fullYear = year === undefined ? new Date(now).getUTCFullYear() : (century ?? usualCentury) + year;
  return parseDate(`${fullYear}-${month}-${day} ${hour}:${minute}:${second}`, now);
}
