import { z } from "@hono/zod-openapi";

export const SINCE_FORMATS =
  "must be an RFC 3339 time such as 2026-01-02T15:04:05Z or 2026-01-02T15:04:05.123456789+02:00 (in a query " +
  "+ is written %2B), a time in UTC such as 2026-01-02, 2026-01-02T15:04, 2026-01-02T15:04:05 or " +
  "2026-01-02T15:04:05.000, or a duration before now of h, m, s, ms, us and ns such as 5m, 1h30m or 1.5h";

const TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?:T(?<clock>\d\d:\d\d)(?:(?<seconds>:\d\d)(?:\.(?<fraction>\d{1,9}))?(?<offset>Z|[+-]\d\d:\d\d)?)?)?$/i;

const PART = /(?<![\d.])(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = new RegExp(`^(?:0|(?:${PART.source})+)$`);

const NANOSECONDS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter look alike.
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** Go's maximum: 292 years. */
const MAX_DURATION_NS = 2n ** 63n - 1n;

/**
 * Parses an RFC 3339 time, a date or time in UTC, or a Go duration before `now`.
 *
 * @returns milliseconds since the epoch, rounded up; undefined for any other text.
 */
export function parseSince(text: string, now: number): number | undefined {
  return parseTime(text) ?? parseDuration(text, now);
}

function parseTime(text: string): number | undefined {
  const {
    date,
    clock = "00:00",
    seconds = ":00",
    fraction = "",
    offset = "Z",
  } = TIME.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const local = `${date}T${clock}${seconds}`;
  const time = Date.parse(`${local}Z`);
  const offsetMs = parseOffset(offset);
  // `Date.parse` moves impossible dates, such as February 30, to others.
  if (offsetMs === undefined || Number.isNaN(time) || !new Date(time).toISOString().startsWith(local)) {
    return undefined;
  }
  return time + Math.ceil(Number(fraction.padEnd(9, "0")) / 1e6) - offsetMs;
}

function parseOffset(text: string): number | undefined {
  if (text.toUpperCase() === "Z") return 0;
  const [hours = 0, minutes = 0] = text.slice(1).split(":").map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function parseDuration(text: string, now: number): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let nanoseconds = 0n;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) {
    const [whole = "", fraction = ""] = amount.split(".");
    const factor = NANOSECONDS[unit] ?? 0n;
    nanoseconds += (BigInt(whole + fraction) * factor) / 10n ** BigInt(fraction.length);
  }
  if (nanoseconds > MAX_DURATION_NS) return undefined;
  return now - Number(nanoseconds / NANOSECONDS_PER_MILLISECOND);
}

/** A date or time in a query, in milliseconds since the epoch. */
export function queryTime(description: string, example = "2026-01-02T15:04:05Z") {
  return z
    .string()
    .transform((text) => parseTime(text) ?? Number.NaN)
    .pipe(z.number("must be a date such as 2026-01-02 or an RFC 3339 time such as 2026-01-02T15:04:05Z"))
    .openapi({ type: "string", description, example });
}

export const sinceSchema = z
  .string()
  .optional()
  .transform((text, context): number | undefined => {
    if (!text) return undefined;
    const since = parseSince(text, Date.now());
    if (since === undefined) context.addIssue({ code: "custom", message: SINCE_FORMATS });
    return since;
  })
  .openapi({
    type: "string",
    example: "5m",
    description: `Earliest time; empty: no limit. It ${SINCE_FORMATS}.`,
    param: { required: false },
  });
