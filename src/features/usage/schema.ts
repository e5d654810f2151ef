import { z } from "@hono/zod-openapi";
import { PRICE_NAMES } from "../../lib/common/prices.ts";
import { flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { queryTime } from "../../lib/http/parse-since.ts";
import { HOUR_MS, monthOf } from "./time.ts";

const MAX_RANGE_MS = 366 * 24 * HOUR_MS;

const GROUPINGS = ["day", "hour", "key", "tag", "pool", "organization"] as const;

/** What costs are estimated for. */
const COST_NAMES = [
  "browsers",
  "standby",
  "invocations",
  "dynamic_workers",
  "recordings",
  "storage",
  "linux_machines",
  "proxies",
  "total",
] as const;

const grouped = { description: "What the rows are grouped by." };

const operatorQueryShape = z.object({
  from: queryTime(
    "Beginning, rounded down to an hour in UTC. Default: the beginning of the month.",
    "2026-01-02",
  ).optional(),
  to: queryTime(
    "End, rounded up to an hour in UTC, at most 366 days later. Default: now.",
    "2026-01-02",
  ).optional(),
  tag: textOf("Name of the tag to group by, for `group_by=tag`.", "team").optional(),
  organization_id: textOf("Only this organization.").optional(),
  group_by: z.enum(GROUPINGS).default("organization").openapi(grouped),
});

/** Rules for several parameters, and the range in whole hours. Times are milliseconds since the epoch. */
function toQuery(
  { from, to, tag, organization_id, group_by: groupBy }: z.infer<typeof operatorQueryShape>,
  context: z.RefinementCtx,
) {
  const now = Date.now();
  const query = {
    /** Undefined: all. */
    organizationIds: organization_id === undefined ? undefined : [organization_id],
    from: Math.floor((from ?? monthOf(now).start) / HOUR_MS) * HOUR_MS,
    to: Math.ceil((to ?? now) / HOUR_MS) * HOUR_MS,
    now,
    groupBy,
    /** Its values are groups. */
    tag,
  };
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (query.to < query.from) refuse("to", "must not be before `from`");
  if (query.to - query.from > MAX_RANGE_MS) refuse("from", "must be at most 366 days before `to`");
  if (groupBy === "tag" && !tag) refuse("tag", "is required for group_by=tag");
  return query;
}

export const operatorUsageQuerySchema = operatorQueryShape.transform(toQuery);

export const usageQuerySchema = operatorQueryShape
  .omit({ organization_id: true })
  .extend({ group_by: z.enum(GROUPINGS).exclude(["organization"]).default("day").openapi(grouped) })
  .transform(toQuery);

export type UsageQuery = z.infer<typeof usageQuerySchema>;

const dollars = z.number().openapi({ description: "In US dollars.", example: 0.25 });

const amount = (description: string) => z.number().openapi({ description, example: 120 });

const amountsSchema = z.object({
  browser_seconds: amount("Browser time, including browsers that wait in a pool."),
  sessions: amount("Sessions, and leases of pools, that began."),
  invocations: amount("Invocations of apps that were accepted."),
  dynamic_workers: amount("Dynamic Workers that were loaded."),
  recorded_minutes: amount("Length of the recordings that were completed."),
  stored_byte_hours: amount("Stored bytes, summed over the hours."),
  proxied_bytes: amount("Bytes that sessions with a proxy received, as far as their requests were observed."),
  standby_seconds: amount("Time that standby browsers waited for sessions."),
  linux_machine_seconds: amount("Time of `linux` machines, by the hour of their end."),
  linux_machine_usd: dollars.describe("What their hosts charge for it, by the `price_per_hour` of `HOSTS`."),
});

export type Amounts = z.infer<typeof amountsSchema>;

const costsSchema = z
  .record(z.enum(COST_NAMES), dollars)
  .describe("Estimated costs in US dollars, at the service's prices.");

export type Costs = z.infer<typeof costsSchema>;

const useSchema = amountsSchema.extend({ estimated_usd: costsSchema });

const rowSchema = useSchema.extend({
  group: textOf(
    "Beginning of the day or hour, id of the key, pool or organization, or value of the tag; null: none.",
    "2026-01-02T00:00:00.000Z",
  ).nullable(),
});

export const usageSchema = z
  .object({
    from: timeOf("Beginning of the range."),
    to: timeOf("End of the range."),
    group_by: z.enum(GROUPINGS).openapi({ ...grouped, example: "day" }),
    rows: z.array(rowSchema).describe("One per group with usage, in order; at most 10,000."),
    is_truncated: flagOf("Whether there are more groups.", false),
    total: useSchema.describe("The sum of all groups."),
    prices: z
      .record(z.enum(PRICE_NAMES), dollars)
      .describe("The prices in US dollars used for the estimates."),
  })
  .openapi("Usage");

export type Usage = z.infer<typeof usageSchema>;

const budget = (description: string) => z.number().nullable().openapi({ description, example: 100 });

const budgetsSchema = z.object({
  soft_usd: budget("US dollars a month that are announced when they are reached; null: none."),
  hard_usd: budget("US dollars a month after which nothing may begin; null: none."),
  exceeded_until: timeOf("The end of the month whose hard budget is used up; null: it is not.").nullable(),
});

export const organizationUsageSchema = usageSchema
  .extend({ budget: budgetsSchema.describe("Budgets, which the operator sets.") })
  .openapi("OrganizationUsage");
